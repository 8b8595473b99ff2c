"""Losses: increases agree with each other and sum to the loss; greedy growth gives the groups of the thesis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.covers import covers_of
from sfumato.algorithms.clustering.losses import AbsoluteLoss, SquaredLoss, grown_to_size, join_least, point_loss
from tests.algorithms.clustering.rows_of import small_rows
from tests.golden.nine_records import nine_records, numbers_of
from tests.oracles.cover_loss import CoverLoss
from tests.oracles.plain_greedy import grown_together

POINTS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=9)

LOSSES = {
    "il": lambda rows, groups: CoverLoss(rows.covers, groups),
    "sse": lambda rows, groups: SquaredLoss(rows.points, groups),
    "adm": lambda rows, groups: AbsoluteLoss(rows.points, groups),
}


@pytest.mark.parametrize("name", LOSSES)
@given(rows=small_rows(), data=st.data())
def test_one_row_and_all_groups_agree_with_one_group_and_all_rows(name, rows, data):
    loss = LOSSES[name](rows, 3)
    for row in data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=6)):
        loss.join(row, data.draw(st.integers(0, 2)), data.draw(st.integers(1, 3)))
    by_row = np.array([loss.increases(row) for row in range(len(rows))])
    by_group = np.array([loss.increases_by(group) for group in range(3)])
    np.testing.assert_allclose(by_row, by_group.T, atol=1e-9)
    assert (by_row >= -1e-9).all()


@pytest.mark.parametrize("name", LOSSES)
@given(rows=small_rows())
def test_a_pair_loses_what_the_second_adds_to_the_first(name, rows):
    loss = LOSSES[name](rows, 1)
    first = loss.increases(0)[0]
    loss.join(0, 0, 1)
    np.testing.assert_allclose(loss.pairs(0), first + loss.increases_by(0), atol=1e-9)


@pytest.mark.parametrize("name", LOSSES)
@given(rows=small_rows())
def test_sizes_count_records(name, rows):
    loss = LOSSES[name](rows, 2)
    loss.join(0, 1, 4)
    loss.join(len(rows) - 1, 1, 1)
    assert loss.size.tolist() == [0, 5]


@given(POINTS)
def test_increases_add_up_to_the_squared_errors(points):
    places = np.array(points, dtype=np.float64)
    loss, total = SquaredLoss(places, 1), 0.0
    for row in range(len(places)):
        total += loss.increases(row)[0]
        loss.join(row, 0, 1)
    assert total == pytest.approx(((places - places.mean(axis=0)) ** 2).sum(), abs=1e-9)


def test_several_records_move_the_mean_at_once():
    loss = SquaredLoss(np.array([[0.0], [4.0]]), 1)
    loss.join(0, 0, 1)
    loss.join(1, 0, 3)
    assert loss.mean.tolist() == [[3.0]]


@given(POINTS)
def test_increases_add_up_to_the_deviations_from_the_medians(points):
    places = np.array(points, dtype=np.float64)
    loss, total = AbsoluteLoss(places, 1), 0.0
    for row in range(len(places)):
        total += loss.increases(row)[0]
        loss.join(row, 0, 1)
    assert total == pytest.approx(np.abs(places - np.median(places, axis=0)).sum(), abs=1e-9)


def test_what_lies_between_the_two_middle_values_is_free():
    loss = AbsoluteLoss(np.array([[0.0], [10.0], [4.0], [12.0]]), 1)
    loss.join(0, 0, 1)
    loss.join(1, 0, 1)
    assert loss.increases_by(0).tolist() == [0.0, 0.0, 0.0, 2.0]


@pytest.mark.parametrize(("name", "pair"), [("sse", 8.0), ("adm", 4.0)])
def test_each_name_is_a_loss(name, pair):
    assert point_loss(name, np.array([[1.0], [5.0]]), 1).pairs(0)[1] == pair


def systematic(records: int, min_levels: int) -> list[set[int]]:
    """Groups of records in the thesis' own order, seeded at its places 2, 3, 1."""
    table = nine_records(records)
    loss = CoverLoss(covers_of(table, sets=False, min_levels=min_levels), records // 3)
    rows = np.argsort(numbers_of(table))
    groups = grown_together(loss, rows, 3, np.array([1, 2, 0]))
    return [set((np.flatnonzero(groups == group) + 1).tolist()) for group in range(records // 3)]


def test_systematic_clusters_of_the_thesis():
    """Kabir (2010), Tables 4.2 and 4.5."""
    for min_levels in (0, 1):
        assert systematic(6, min_levels) == [{1, 2, 3}, {4, 5, 6}]
        assert systematic(9, min_levels) == [{1, 2, 3}, {4, 5, 6}, {7, 8, 9}]


def test_dissolved_records_of_the_thesis():
    """Kabir (2010), section 4.6: 4, 5 and 6 all go to {7, 8, 9}; Byun's own loss would send 4 to {1, 2, 3}."""
    table = nine_records()
    row = {number: place for place, number in enumerate(numbers_of(table).tolist())}
    increases = {0: [], 1: []}
    for min_levels, found in increases.items():
        covers = covers_of(table, sets=False, min_levels=min_levels)
        loss = CoverLoss(covers, 2)
        for group, members in enumerate(((1, 2, 3), (7, 8, 9))):
            for number in members:
                loss.join(row[number], group, 1)
        for number in (4, 5, 6):
            found.append((loss.increases(row[number]) / covers.whole).tolist())
            loss.join(row[number], int(np.argmin(loss.increases(row[number]))), 1)
    expected = [[4.500, 3.868], [5.553, 2.921], [7.132, 5.921]]
    np.testing.assert_allclose(increases[1], expected, atol=6e-4)
    np.testing.assert_allclose(increases[0][0], [3.5, 6.868], atol=6e-4)


@given(small_rows(), st.integers(1, 4))
def test_every_record_is_in_one_group_of_at_least_k(rows, k):
    if rows.records < k:
        return
    row, group, counts = grown_to_size(SquaredLoss(rows.points, rows.records // k), rows.counts, k, 0)
    assert np.bincount(row, weights=counts, minlength=len(rows)).tolist() == rows.counts.tolist()
    sizes = np.bincount(group, weights=counts)
    assert sizes.min() >= k
    assert len(sizes) == rows.records // k


def test_records_join_the_first_of_equal_groups():
    loss = SquaredLoss(np.array([[0.0], [2.0], [1.0]]), 2)
    loss.join(0, 0, 1)
    loss.join(1, 1, 1)
    assert join_least(loss, np.array([2]), np.array([1])).tolist() == [0]
