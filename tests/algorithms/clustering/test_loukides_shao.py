"""Groups up to a loss; records without one are suppressed where that is allowed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.loukides_shao import LoukidesShao
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.kernels.covers import most_loss
from sfumato.models import KAnonymity
from tests.algorithms.clustering.rows_of import small_rows
from tests.oracles.cover_loss import CoverLoss


def crowds() -> Table:
    """Two crowds of three and somebody between them."""
    return Table.of_rows(Schema.of(quasi=["age"]), {"age": ["1", "2", "3", "50", "99", "100", "101"]})


@given(small_rows(max_rows=10), st.floats(0, 1), st.integers(0, 9))
def test_no_group_loses_more_than_the_threshold(rows, threshold, seed):
    _, group, _ = LoukidesShao(threshold=threshold)._cluster(rows, 1, np.random.default_rng(seed))
    plain = CoverLoss(rows.covers, 1)
    for one in range(int(group.max()) + 1):
        charge = plain.charge(np.flatnonzero(group == one).tolist())
        assert charge <= max(threshold * most_loss(rows.covers), rows.covers.base)


def test_who_is_near_nobody_is_suppressed_within_the_limit():
    release = LoukidesShao(threshold=0.05).anonymize(crowds(), KAnonymity(k=3), suppression=0.2)
    assert release.candidate.suppressed_records == 1
    assert release.groups.sizes.tolist() == [3, 3]


@pytest.mark.parametrize("suppression", [0.0, 0.1])
def test_and_joins_a_crowd_where_the_limit_is_lower(suppression):
    release = LoukidesShao(threshold=0.05).anonymize(crowds(), KAnonymity(k=3), suppression=suppression)
    assert release.candidate.suppressed_records == 0
    assert sorted(release.groups.sizes.tolist()) == [3, 4]


def test_the_limit_is_a_share_of_persons():
    """Twelve of twenty persons have five records each and are alike; eight have one record each, far from all others.

    Eight persons are 40 % of the persons, but their records are 12 % of the records.
    """
    rows = {"age": ["1"] * 60 + [str(100 * place) for place in range(1, 9)]}
    rows["who"] = [str(record // 5) for record in range(60)] + [str(place) for place in range(12, 20)]
    table = Table.of_rows(Schema.of(quasi=["age"], person="who"), rows)
    within = LoukidesShao(threshold=0.05).anonymize(table, KAnonymity(k=3), suppression=0.2).candidate
    assert (within.suppressed_persons, within.suppressed_records) == (0, 0)
    within = LoukidesShao(threshold=0.05).anonymize(table, KAnonymity(k=3), suppression=0.4).candidate
    assert (within.suppressed_persons, within.suppressed_records) == (8, 8)


def test_a_person_with_records_in_several_failing_groups_counts_once():
    """Of the seven persons of `crowds`, the one between the crowds also has a second record far away."""
    rows = {"age": ["1", "2", "3", "50", "70", "99", "100", "101"], "who": [*"abcddefg"]}
    table = Table.of_rows(Schema.of(quasi=["age"], person="who"), rows)
    candidate = LoukidesShao(threshold=0.05).anonymize(table, KAnonymity(k=3), suppression=1 / 7).candidate
    assert (candidate.suppressed_persons, candidate.suppressed_records) == (1, 2)


def test_a_large_threshold_makes_one_group():
    release = LoukidesShao(threshold=1.0).anonymize(crowds(), KAnonymity(k=2))
    assert release.groups.sizes.tolist() == [7]
