from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.genetic_microaggregation import bred
from sfumato.kernels.random import chance_from
from tests.oracles.optimal_microaggregation import least_sse, sse
from tests.oracles.small_points import small_points


@given(st.integers(1, 5), st.data())
def test_every_group_keeps_its_size(k, data):
    points = data.draw(small_points(at_least=2 * k))
    sizes = np.bincount(bred(points, k, 6, 60, chance_from(data.draw(st.integers(0, 99)))))
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


def test_more_children_never_make_it_worse_and_soon_better():
    points = np.random.default_rng(0).standard_normal((60, 3))
    errors = [sse(points, bred(points, 3, 20, children, chance_from(1))) for children in (0, 20, 200, 2000)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.5 * errors[0]


def test_the_same_chance_gives_the_same_groups():
    points = np.random.default_rng(0).standard_normal((50, 3))
    one, again, other = (bred(points, 3, 20, 400, chance_from(seed)).tolist() for seed in (1, 1, 2))
    assert one == again != other


@pytest.mark.parametrize("k", [2, 3])
def test_the_best_groups_of_few_points_are_mostly_found(k):
    random = np.random.default_rng(k)
    tables = [random.standard_normal((9, 2)) for _ in range(20)]
    best = [sse(points, bred(points, k, 20, 2000, chance_from(0))) <= least_sse(points, k) + 1e-9 for points in tables]
    assert sum(best) >= 18
