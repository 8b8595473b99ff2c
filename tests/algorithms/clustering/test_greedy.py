"""The greedy core with a plain loss; the kernels are compared with it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.covering import covers_of
from sfumato.algorithms.clustering.greedy import grown_to_size, join_least
from sfumato.algorithms.clustering.squared_loss import SquaredLoss
from tests.algorithms.clustering.rows_of import small_rows
from tests.golden.nine_records import nine_records, numbers_of
from tests.oracles.cover_loss import CoverLoss
from tests.oracles.plain_greedy import grown_together


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
