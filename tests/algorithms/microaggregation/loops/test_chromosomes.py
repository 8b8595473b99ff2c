from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.chromosomes import (
    chromosome,
    dissolve,
    join,
    leave,
    numbered,
    place,
    squared_error,
)
from tests.oracles.optimal_microaggregation import sse


def grouped(points, labels, k):
    child = chromosome(np.asarray(points, dtype=np.float64), k)
    for point, group in enumerate(labels):
        if group >= 0:
            join(child, point, group)
    return child


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(2, 5))
def test_sizes_sums_and_error_follow_what_is_done(seed, k, groups):
    random = np.random.default_rng(seed)
    points, labels = random.standard_normal((groups * k, 2)), random.permutation(np.repeat(np.arange(groups), k))
    child = grouped(points, labels, k)
    assert squared_error(child) == pytest.approx(sse(points, labels))
    leave(child, 0)
    assert child.labels[0] == -1
    join(child, 0, (labels[0] + 1) % groups)
    assert child.sizes.tolist() == np.bincount(child.labels, minlength=len(child.sizes)).tolist()
    for group in range(groups):
        np.testing.assert_allclose(child.sums[group], points[child.labels == group].sum(axis=0), atol=1e-12)


def test_a_group_that_is_dissolved_has_nobody():
    child = grouped([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1], 2)
    dissolve(child, 0)
    assert child.labels.tolist() == [-1, -1, 1, 1]
    assert (child.sizes[0], child.sums[0, 0]) == (0, 0.0)


def test_a_point_is_placed_in_the_nearest_group_that_has_room():
    child = grouped([[0.0], [1.0], [2.0], [9.0], [8.0], [1.5]], [0, 0, 0, 1, 1, -1], 2)
    place(child, 5, 2)
    assert child.labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_where_no_group_has_room_the_nearest_is_cut_in_two():
    child = grouped([[0.0], [1.0], [2.0], [1.9]], [0, 0, 0, -1], 2)
    place(child, 3, 2)
    assert child.labels[2] == child.labels[3] != child.labels[0] == child.labels[1]


def test_numbers_leave_no_gaps():
    assert numbered(np.array([4, 2, 4, 0], dtype=np.int32)).tolist() == [0, 1, 0, 2]
