from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.dissolving import dissolve
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import same, small_points


@given(small_points(), st.integers(1, 5), st.integers(0, 99), st.sampled_from([0, 1, 4, 1000]))
def test_groups_are_given_up_as_in_the_plain_way(points, k, seed, room):
    groups = plain.cbfs(points, k)
    order = np.random.default_rng(seed).permutation(len(groups)).astype(np.int32)
    found = dissolve(points, plain.labels_of(groups, len(points)), order, k + room)
    assert same(found, plain.dissolved(points, groups, order.tolist(), k + room))


@pytest.mark.parametrize("widest", [6, 1000])
def test_means_that_moved_are_found_after_the_tree_was_built_again(widest):
    points = np.random.default_rng(widest).integers(0, widest, size=(300, 2)).astype(np.float64)
    groups = [[record, record + 1] for record in range(0, len(points), 2)] if widest == 6 else plain.cbfs(points, 2)
    order = np.arange(len(groups), dtype=np.int32)
    found = dissolve(points, plain.labels_of(groups, len(points)), order, len(points))
    assert same(found, plain.dissolved(points, groups, order.tolist()))
    assert len(np.unique(found)) < len(groups)


def test_a_group_alone_stays():
    points = np.array([[0.0], [9.0]])
    found = dissolve(points, np.zeros(2, dtype=np.int32), np.zeros(1, dtype=np.int32), 2)
    assert found.tolist() == [0, 0]


def test_labels_given_are_left_as_they_are():
    points = np.array([[0.0], [1.0], [1.0], [2.0], [0.5], [1.5]])
    labels = np.array([0, 0, 1, 1, 2, 2], dtype=np.int32)
    dissolve(points, labels, np.arange(3, dtype=np.int32), 6)
    assert labels.tolist() == [0, 0, 1, 1, 2, 2]
