from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.genetic_microaggregation import (
    chromosome,
    dissolve,
    evolve,
    join,
    leave,
    place,
    renumber,
    squared_error,
)
from sfumato.kernels.random import chance_from
from tests.oracles.optimal_microaggregation import least_sse, sse
from tests.oracles.small_points import small_points


@given(st.integers(1, 5), st.data())
def test_every_group_keeps_its_size(k, data):
    points = data.draw(small_points(at_least=2 * k))
    sizes = np.bincount(evolve(points, k, 6, 60, chance_from(data.draw(st.integers(0, 99)))))
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


def test_more_children_never_make_it_worse_and_soon_better():
    points = np.random.default_rng(0).standard_normal((60, 3))
    errors = [sse(points, evolve(points, 3, 20, children, chance_from(1))) for children in (0, 20, 200, 2000)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.5 * errors[0]


def test_the_same_chance_gives_the_same_groups():
    points = np.random.default_rng(0).standard_normal((50, 3))
    one, again, other = (evolve(points, 3, 20, 400, chance_from(seed)).tolist() for seed in (1, 1, 2))
    assert one == again != other


@pytest.mark.parametrize("k", [2, 3])
def test_the_best_groups_of_few_points_are_mostly_found(k):
    random = np.random.default_rng(k)
    tables = [random.standard_normal((9, 2)) for _ in range(20)]
    best = [
        sse(points, evolve(points, k, 20, 2000, chance_from(0))) <= least_sse(points, k) + 1e-9 for points in tables
    ]
    assert sum(best) >= 18


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
    assert renumber(np.array([4, 2, 4, 0], dtype=np.int32)).tolist() == [0, 1, 0, 2]


def test_a_group_that_every_point_left_has_no_sum():
    """In floats, 0.1 + 0.2 + 0.3 - 0.1 - 0.2 - 0.3 is not 0."""
    child = grouped([[0.1], [0.2], [0.3]], [0, 0, 0], 2)
    for point in range(3):
        leave(child, point)
    assert (child.sizes.tolist(), child.sums.tolist()) == ([0, 0], [[0.0], [0.0]])
