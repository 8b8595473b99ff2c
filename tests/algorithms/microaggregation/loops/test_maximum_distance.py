from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.maximum_distance import farthest_pairs
from tests.oracles import plain_microaggregation as plain
from tests.oracles import plain_pairs
from tests.oracles.small_points import small_points

LEADERS = st.sampled_from(["outermost", "lowest"])


@given(small_points(), st.integers(1, 5), st.sampled_from([None, 1, 2]), LEADERS)
def test_groups_are_those_of_the_plain_loop(points, k, most, leader):
    groups, _ = plain_pairs.pairs(points, k, leader, most)
    found = farthest_pairs(points, k, outermost=leader == "outermost", most=most)
    assert found.tolist() == plain.labels_of(groups, len(points)).tolist()


@given(small_points(), st.integers(1, 5), LEADERS)
def test_one_more_group_is_led_by_one_of_the_farthest_that_are_left(points, k, leader):
    groups, free = plain_pairs.pairs(points, k, leader)
    if len(free) >= k:
        groups.append(plain.nearest_of(points, free, plain_pairs.leading_pair(points, free, leader)[0], k))
    found = farthest_pairs(points, k, outermost=leader == "outermost", single=True)
    assert found.tolist() == plain.labels_of(groups, len(points)).tolist()


@pytest.mark.parametrize(("widest", "unit"), [(4, 1.0), (10_000, 1.0), (1_024, 2.0**-20)])
def test_groups_are_those_of_the_plain_loop_on_many_points(widest, unit):
    """Bounds of distances hold for distances below 1, too."""
    points = np.random.default_rng(widest).integers(0, widest, size=(301, 3)) * unit
    groups, _ = plain_pairs.pairs(points, 7, "lowest")
    assert farthest_pairs(points, 7, outermost=False).tolist() == plain.labels_of(groups, 301).tolist()


def test_distances_too_small_to_be_told_from_zero_end_no_pair_early():
    points = np.array([[0.0], [1e-200], [2e-200], [3e-200]])
    assert farthest_pairs(points, 2, outermost=False).tolist() == [0, 1, 0, 1]
