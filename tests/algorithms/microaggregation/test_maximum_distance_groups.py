from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.maximum_distance_groups import diameter_groups, maximum_distance_groups
from tests.golden.reference_sets import SIZES, loss, printed, reference_set
from tests.oracles import plain_pairs
from tests.oracles.small_points import numbered, same, small_points

MEASURED = {
    "tarragona": ("16.9835", "19.5362", "22.9351", "33.5024"),
    "census": ("5.7210", "7.6374", "9.0065", "14.3965"),
}
"""By another program than this one, with the lower record of each pair first."""

LEADERS = st.sampled_from(["outermost", "lowest"])


@pytest.mark.parametrize("name", MEASURED)
def test_losses_on_the_reference_sets(name):
    points = reference_set(name)
    for k, figure in zip(SIZES, MEASURED[name], strict=True):
        assert loss(points, maximum_distance_groups(points, k, "lowest")) == printed(figure)
        assert loss(points, diameter_groups(points, k, "lowest")) == pytest.approx(float(figure), abs=6e-4)


@given(small_points(), st.integers(1, 6), LEADERS)
def test_groups_are_those_of_the_plain_way(points, k, leader):
    labels = maximum_distance_groups(points, k, leader)
    assert same(labels, plain_pairs.maximum_distance(points, k, leader))
    assert numbered(labels, k, 2 * k - 1)


@given(small_points(), st.integers(1, 6), LEADERS)
def test_the_other_ending_is_that_of_the_plain_way(points, k, leader):
    labels = diameter_groups(points, k, leader)
    assert same(labels, plain_pairs.diameter(points, k, leader))
    assert numbered(labels, k, 2 * k - 1)


@pytest.mark.parametrize("way", [maximum_distance_groups, diameter_groups])
def test_the_order_of_records_does_not_matter_where_the_outermost_leads(way):
    points = np.random.default_rng(1).standard_normal((95, 3))
    order = np.random.default_rng(2).permutation(95)
    shuffled = way(points[order], 5)
    groups = [order[shuffled == group].tolist() for group in range(int(shuffled.max()) + 1)]
    assert same(way(points, 5), groups)
