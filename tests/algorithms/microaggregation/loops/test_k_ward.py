from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.k_ward import merge_by_ward
from tests.oracles.plain_microaggregation import labels_of
from tests.oracles.plain_pairs import pairs
from tests.oracles.plain_trees import ward_once
from tests.oracles.small_points import same, small_points


def begun(points, k):
    groups, free = pairs(points, k, "outermost", most=1)
    return labels_of([*groups, *([record] for record in free)], len(points))


@given(st.integers(0, 2**32), st.integers(8, 24), st.integers(1, 4))
def test_groups_are_those_of_the_plain_merging(seed, n, k):
    points = np.random.default_rng(seed).standard_normal((n, 2))
    assert same(merge_by_ward(points, begun(points, k), k), ward_once(points, k))


@given(small_points(at_least=8), st.integers(1, 4))
def test_nobody_stays_in_a_small_group_even_among_equals(points, k):
    sizes = np.bincount(merge_by_ward(points, begun(points, k), k))
    assert sizes[sizes > 0].min() >= k
    assert (sizes > 0).sum() >= 2


def test_a_group_that_is_large_enough_never_joins_another_such():
    points = np.array([[0.0], [0.1], [0.2], [0.3], [9.0]])
    assert merge_by_ward(points, np.array([0, 0, 1, 1, 2], dtype=np.int32), 2).tolist() == [0, 0, 1, 1, 1]
