from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import MaximumDistance
from sfumato.algorithms.microaggregation.diameter import diameter_groups
from sfumato.algorithms.microaggregation.maximum_distance import maximum_distance_groups
from sfumato.errors import UnsuitableError
from sfumato.models import KAnonymity
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.golden.reference_sets import SIZES, loss, printed, reference_set
from tests.oracles import plain_pairs
from tests.oracles.small_points import numbered, same, small_points


def test_the_groups_of_standardized_columns_are_published():
    table = numbers_table()
    assert grouped(MaximumDistance(), table, 4) == groups_of(maximum_distance_groups(points_of(table), 4))


def test_many_records_are_refused_with_a_way_out(monkeypatch):
    monkeypatch.setattr(MaximumDistance, "most_rows", 59)
    with pytest.raises(UnsuitableError, match=r"60 are more than the 59 .* rows_at_once = 5 "):
        MaximumDistance().anonymize(numbers_table(), KAnonymity(k=4))
    assert len(grouped(MaximumDistance(patient=True), numbers_table(), 4)) == 15
    assert len(grouped(MaximumDistance(rows_at_once=30), numbers_table(), 4)) == 14


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
