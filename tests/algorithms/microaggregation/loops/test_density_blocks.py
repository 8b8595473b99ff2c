from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.density_blocks import cut_at_gaps, marks_of
from sfumato.kernels.neighbours.balanced_order import halve
from tests.oracles.small_points import small_points


def cut(points, size):
    """The blocks as sets of points' numbers, and rows as they were reordered."""
    rows, numbers = points.copy(), np.arange(len(points), dtype=np.int32)
    ends = cut_at_gaps(rows, numbers, marks_of(rows.view(np.uint64)), size)
    np.testing.assert_array_equal(rows, points[numbers])
    return np.split(numbers, ends[:-1]), ends


@given(small_points(most=80), st.integers(2, 20))
def test_blocks_hold_everybody_once_and_are_neither_large_nor_small(points, size):
    blocks, ends = cut(points, size)
    assert ends[-1] == len(points)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(len(points)))
    sizes = [len(block) for block in blocks]
    assert max(sizes) <= size
    assert len(blocks) == 1 or min(sizes) >= size // 2


def pieces(cluster, blocks):
    return sum(len(set(cluster[block].tolist())) for block in blocks)


def test_clusters_stay_together_more_than_under_medians():
    random = np.random.default_rng(6)
    cluster = random.permutation(np.repeat(np.arange(60), 100))
    points = 10 * random.normal(size=(60, 3))[cluster] + random.normal(size=(6000, 3)) / 10
    rows, numbers = points.copy(), np.arange(6000, dtype=np.int32)
    halve(rows, numbers, 4)
    torn = pieces(cluster, cut(points, 500)[0]) - 60
    assert torn < pieces(cluster, np.split(numbers, 16)) - 60


def test_two_clusters_are_two_blocks_whichever_way_they_lie():
    random = np.random.default_rng(5)
    for _ in range(10):
        cluster = random.permutation(np.repeat([0, 1], [400, 600]))
        points = np.outer(cluster, 5 * random.normal(size=8)) + random.normal(size=(1000, 8)) / 3
        assert {frozenset(cluster[block].tolist()) for block in cut(points, 700)[0]} == {frozenset({0}), frozenset({1})}


def test_the_order_of_the_points_does_not_matter():
    random = np.random.default_rng(7)
    points, order = random.normal(size=(5000, 2)), random.permutation(5000)
    blocks, again = cut(points, 700)[0], cut(points[order], 700)[0]
    assert {frozenset(block) for block in blocks} == {frozenset(order[block]) for block in again}
