"""What all ways of clustering have in common: blocks, refusals, and any model that judges groups alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.base import Clustering
from sfumato.algorithms.clustering.k_member import KMember
from sfumato.algorithms.clustering.oka import Oka
from sfumato.algorithms.clustering.systematic_clustering import SystematicClustering
from sfumato.datasets import hospital
from sfumato.errors import UnsuitableError
from sfumato.models import DistinctLDiversity, KAnonymity, TCloseness
from tests.strategies import small_tables


class Cautious(KMember):
    """Starts on few rows."""

    most_rows = 3


class CautiousByRecord(Oka):
    """Starts on few records."""

    most_rows = 6


def test_too_many_rows_are_refused_with_a_way_out():
    with pytest.raises(UnsuitableError, match=r"all distinct rows.*6 are more than the 3.*patient = true"):
        Cautious().anonymize(hospital(), KAnonymity(k=2))
    with pytest.raises(UnsuitableError, match=r"all records.*7 are more than the 6"):
        CautiousByRecord().anonymize(hospital(), KAnonymity(k=2))


@pytest.mark.parametrize("setting", [{"patient": True}, {"rows_at_once": 3}])
def test_unless_it_is_told_to_start(setting):
    release = Cautious(**setting).anonymize(hospital(), KAnonymity(k=2))
    assert release.groups.sizes.min() >= 2


@pytest.mark.parametrize("way", [KMember, Oka, SystematicClustering])
@given(table=small_tables(max_rows=12, max_sensitive=1, max_repeats=3), k=st.integers(1, 3), most=st.integers(2, 8))
def test_blocks_hold_every_record_once(way, table, k, most):
    if table.records < k:
        return
    found = way(rows_at_once=most)._choose_groups(table, KAnonymity(k=k), np.random.default_rng(0))
    counts = table.counts if found.counts is None else found.counts
    np.testing.assert_array_equal(np.bincount(found.row, weights=counts, minlength=len(table)), table.counts)
    assert np.bincount(found.group, weights=counts).min() >= k
    assert np.unique(found.group).tolist() == list(range(len(found)))


@dataclass(frozen=True, kw_only=True)
class Alone(Clustering):
    """Leaves every record by itself."""

    def _cluster(self, rows, k, random):
        each = rows.each
        return each, np.arange(len(each), dtype=np.int32), np.ones(len(each), dtype=np.int64)


@pytest.mark.parametrize(
    "model",
    [KAnonymity(k=3), KAnonymity(k=2) & DistinctLDiversity(l=2), TCloseness(t=0.5, distance="equal")],
    ids=str,
)
def test_whatever_the_author_leaves_undone_is_mended(model):
    release = Alone().anonymize(hospital(), model)
    assert release.holds
    assert release.candidate.suppressed_records == 0


def test_taxonomy_nodes_are_published_where_asked_for():
    texts = Alone(categories="taxonomy").anonymize(hospital(), KAnonymity(k=7)).candidate.recoding.labels["Job"].texts
    assert texts == ("ANY_Job",)
