from __future__ import annotations

import numpy as np
import pytest

from sfumato.kernels.neighbours.duplicate_points import twins
from sfumato.kernels.neighbours.tree import LANES, LEAF, shrinking_tree, take_first


def planted(points):
    return shrinking_tree(points, *twins(points))


def boxes_of(tree):
    """The narrowest boxes around what is left in every leaf, and around every block."""
    low, high = np.full_like(tree.low, np.inf), np.full_like(tree.high, -np.inf)
    for leaf, live in enumerate(tree.live):
        cells = tree.cells[leaf, :, :live]
        if live:
            low[leaf // LANES, :, leaf % LANES] = cells.min(axis=1)
            high[leaf // LANES, :, leaf % LANES] = cells.max(axis=1)
    for block in range(len(tree.under) - 1):
        above, lane = divmod(tree.over[block], LANES)
        low[above, :, lane] = low[block].min(axis=1)
        high[above, :, lane] = high[block].max(axis=1)
    return low, high


def true(tree, points):
    """Whether everything in the tree says the same about who is left, and no box is wider than it must be."""
    left = np.flatnonzero(tree.first >= 0)
    held = [place for leaf, live in enumerate(tree.live) for place in tree.place_at[leaf, :live]]
    assert sorted(held) == left.tolist()
    for place in left:
        leaf, slot = tree.leaf_of[place], tree.slot_of[place]
        assert tree.place_at[leaf, slot] == place
        assert tree.cells[leaf, :-1, slot].tolist() == points[tree.first[place]].tolist()
        assert tree.cells[leaf, -1, slot] == pytest.approx(((tree.rows[place] - tree.centre) ** 2).sum())
    low, high = boxes_of(tree)
    np.testing.assert_array_equal(tree.low, low)
    np.testing.assert_array_equal(tree.high, high)


@pytest.mark.parametrize(("rows", "widest"), [(1, 5), (LEAF, 9), (LEAF + 1, 100), (700, 6), (3000, 10_000)])
def test_boxes_shrink_with_what_is_left(rows, widest):
    random = np.random.default_rng(rows)
    points = random.integers(0, widest, size=(rows, 2)).astype(np.float64)
    tree = planted(points)
    true(tree, points)
    taken = []
    while (tree.first >= 0).any():
        places = random.permutation(np.flatnonzero(tree.first >= 0))[: max(1, rows // 6)]
        taken.extend(take_first(tree, place) for place in places)
        true(tree, points)
    assert sorted(taken) == list(range(rows))
    assert np.isinf(tree.low).all()


def test_records_at_a_place_leave_in_ascending_order():
    tree = planted(np.array([[1.0], [0.0], [1.0], [1.0]]))
    place = int(np.flatnonzero(tree.rows[:, 0] == 1.0)[0])
    assert [take_first(tree, place) for _ in range(3)] == [0, 2, 3]
    assert tree.first[place] == -1
    assert tree.live.sum() == 1
