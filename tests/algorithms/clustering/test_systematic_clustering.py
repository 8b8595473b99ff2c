"""Goldens: Kabir (2010), sections 4.3 and 4.6; sizes; refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.systematic_clustering import SystematicClustering
from sfumato.datasets import hospital
from sfumato.errors import ParameterError, SchemaError
from sfumato.metrics import InformationLoss
from sfumato.models import DistinctLDiversity, KAnonymity
from tests.algorithms.clustering.rows_of import rows_of, small_rows
from tests.golden.nine_records import clusters_of, nine_records, numbers_of

THESIS = SystematicClustering(order=(2, 3, 1), categories="taxonomy", sort_by=("Age",))


@pytest.mark.parametrize("min_levels", [0, 1])
@pytest.mark.parametrize("records", [6, 9])
def test_clusters_of_the_thesis(records, min_levels):
    """Tables 4.2 and 4.5, with records in the order they are printed in, which is not quite that of their ages."""
    table = nine_records(records)
    rows = rows_of(table, sets=False, min_levels=min_levels)
    printed = rows.at(np.argsort(numbers_of(table)), rows.counts)
    row, group, _ = SystematicClustering(order=(2, 3, 1))._cluster(printed, 3, np.random.default_rng(0))
    assert group[np.argsort(row)].tolist() == np.repeat(np.arange(records // 3), 3).tolist()


def test_three_diverse_clusters_of_the_thesis():
    """Table 4.6 and its total information loss."""
    table = nine_records()
    release = THESIS.anonymize(table, KAnonymity(k=3) & DistinctLDiversity(l=3))
    assert clusters_of(table, release.candidate.group_of) == {frozenset({1, 2, 3}), frozenset({4, 5, 6, 7, 8, 9})}
    assert InformationLoss(min_levels=1).measure(release) == pytest.approx(28.3421, abs=5e-5)


@pytest.mark.parametrize("loss", ["il", "sse", "adm"])
@given(rows=small_rows(max_rows=12), k=st.integers(1, 4), seed=st.integers(0, 9))
def test_every_record_is_in_one_group_of_k_to_2k_less_one(loss, rows, k, seed):
    if rows.records < 2 * k:
        return
    way = SystematicClustering(loss=loss)
    row, group, counts = way._cluster(rows, k, np.random.default_rng(seed))
    assert np.bincount(row, weights=counts, minlength=len(rows)).tolist() == rows.counts.tolist()
    sizes = np.bincount(group, weights=counts)
    assert len(sizes) == rows.records // k
    assert k <= sizes.min() <= sizes.max() <= 2 * k - 1


def test_columns_to_sort_by_come_first():
    assert SystematicClustering(sort_by=("Age",))._columns(hospital()) == ("Age", "Job", "Sex")


def test_an_order_must_name_every_place_once():
    with pytest.raises(ParameterError, match="from 1 to 2"):
        SystematicClustering(order=(1, 2, 3)).anonymize(hospital(), KAnonymity(k=2))


def test_only_quasi_columns_can_be_sorted_by():
    with pytest.raises(SchemaError, match="Diseas"):
        SystematicClustering(sort_by=("Disease",)).anonymize(hospital(), KAnonymity(k=2))
