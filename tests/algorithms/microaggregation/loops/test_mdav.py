from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.mdav import pairs_of_groups
from tests.oracles.plain_mdav import pairs
from tests.oracles.small_points import small_points


def plain_labels(points, k, enough):
    labels = np.full(len(points), -1)
    for label, group in enumerate(pairs(points, k, enough)[0]):
        labels[group] = label
    return labels.tolist()


@given(small_points(most=50), st.integers(1, 7), st.integers(2, 3))
def test_groups_are_those_of_the_plain_loop(points, k, times):
    assert pairs_of_groups(points, k, times * k).tolist() == plain_labels(points, k, times * k)


@pytest.mark.parametrize(("rows", "columns", "k"), [(4000, 2, 3), (3000, 7, 10), (1500, 13, 1), (2000, 4, 300)])
def test_groups_in_deep_trees(rows, columns, k):
    points = np.random.default_rng(k).normal(size=(rows, columns))
    assert pairs_of_groups(points, k, 2 * k).tolist() == plain_labels(points, k, 2 * k)


def test_points_that_may_not_be_written_are_left_alone():
    points = np.arange(12.0).reshape(12, 1)
    points.setflags(write=False)
    assert pairs_of_groups(points, 3, 6).tolist() == [0, 0, 0, 2, 2, 2, 3, 3, 3, 1, 1, 1]
