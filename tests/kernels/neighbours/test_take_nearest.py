from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.neighbours.duplicate_points import twins
from sfumato.kernels.neighbours.take_nearest import look, scratch, take_nearest
from sfumato.kernels.neighbours.tree import shrinking_tree
from tests.oracles.plain_microaggregation import squares
from tests.oracles.small_points import small_points


def nearest_free(points, free, query, wanted):
    """By distance, then by number."""
    distance = squares(points[free], query)
    return [free[place] for place in np.argsort(distance, kind="stable")[:wanted]]


def take_all(points, wanted):
    """Take so many around record 0, then around record 1, and so on, until nobody is left."""
    tree, near = shrinking_tree(points, *twins(points)), scratch(wanted)
    free, taken = list(range(len(points))), np.empty(wanted, dtype=np.int32)
    for query in points:
        expected = nearest_free(points, free, query, wanted)
        assert taken[: take_nearest(tree, near, query, wanted, taken)].tolist() == expected
        free = [record for record in free if record not in expected]
    return tree, near


@given(small_points(), st.integers(1, 6))
def test_records_leave_nearest_first_and_lowest_first(points, wanted):
    tree, near = take_all(points, wanted)
    assert look(tree, near, points[0], wanted) == 0


@pytest.mark.parametrize("widest", [3, 30, 10_000])
def test_records_leave_a_deep_tree_in_the_same_order(widest):
    points = np.random.default_rng(widest).integers(0, widest, size=(700, 3)).astype(np.float64)
    tree, near = take_all(points, 2)
    assert look(tree, near, points[0], 1) == 0


def test_looking_takes_nobody():
    points = np.array([[0.0], [3.0], [1.0], [1.0]])
    tree, near = shrinking_tree(points, *twins(points)), scratch(3)
    for _ in range(2):
        assert look(tree, near, points[0], 3) == 3
        assert near.records.tolist() == [0, 2, 1]
        assert near.distances.tolist() == [0.0, 1.0, 9.0]
