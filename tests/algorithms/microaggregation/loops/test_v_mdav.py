from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.v_mdav import variable_size_groups
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import small_points


def agree(points, k, gamma):
    """Whether those in groups are in the plain ones; the plain version has also placed its leftovers."""
    labels = variable_size_groups(points, k, gamma, points.sum(axis=0) / len(points))
    whole = plain.labels_of(plain.v_mdav(points, k, gamma), len(points))
    placed = labels >= 0
    return (~placed).sum() < k and labels[placed].tolist() == whole[placed].tolist()


@given(small_points(), st.integers(1, 6), st.sampled_from([0.0, 0.2, 1.0, 1.1, 3.0]))
def test_groups_are_those_of_the_plain_loop(points, k, gamma):
    assert agree(points, k, gamma)


@pytest.mark.parametrize("widest", [4, 50, 10_000])
def test_groups_are_those_of_the_plain_loop_on_many_points(widest):
    points = np.random.default_rng(widest).integers(0, widest, size=(301, 2)).astype(np.float64)
    assert agree(points, 4, 1.1)
