from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Tfrp
from sfumato.algorithms.microaggregation.tfrp import tfrp_1_groups, tfrp_2_groups
from sfumato.errors import ParameterError
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.golden.reference_sets import SIZES, loss, printed, reference_set
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import numbered, same, small_points


def test_each_stage_publishes_its_groups():
    table = numbers_table(200)
    first, second = grouped(Tfrp(stage=1), table, 3), grouped(Tfrp(), table, 3)
    assert first == groups_of(tfrp_1_groups(points_of(table), 3))
    assert second == groups_of(tfrp_2_groups(points_of(table), 3))
    assert first != second


def test_a_cap_is_four_groups_less_one(monkeypatch):
    asked = []

    def listen(points, k, *, most):
        asked.append((k, most))
        return tfrp_2_groups(points, k, most=most)

    monkeypatch.setattr("sfumato.algorithms.microaggregation.tfrp.tfrp_2_groups", listen)
    for way in (Tfrp(), Tfrp(capped=True)):
        grouped(way, numbers_table(), 3)
    assert asked == [(3, None), (3, 11)]


def test_there_are_two_stages():
    with pytest.raises(ParameterError, match="'stage' of Tfrp"):
        Tfrp(stage=3)


FIRST = {
    "tarragona": ("17.228", "19.396", "22.110", "33.186"),
    "census": ("5.931", "7.880", "9.357", "14.442"),
    "eia_sales": ("0.530", "0.661", "1.651", "3.242"),
}
SECOND = {
    "tarragona": ("16.881", "19.181", "21.847", "33.088"),
    "census": ("5.803", "7.638", "8.980", "13.959"),
    "eia_sales": ("0.428361", "0.599445", "0.909633", "2.590139"),
}
"""Printed for EIA without the number of the utility; there with more digits than the three that were printed."""


@pytest.mark.parametrize("name", FIRST)
def test_losses_on_the_reference_sets(name):
    points = reference_set(name)
    for k, first, second in zip(SIZES, FIRST[name], SECOND[name], strict=True):
        assert loss(points, tfrp_1_groups(points, k)) == printed(first)
        labels = tfrp_2_groups(points, k)
        assert loss(points, labels) == printed(second)
        assert numbered(labels, k, 2 * k - 1)
        assert np.array_equal(labels, tfrp_2_groups(points, k, most=4 * k - 1))


@given(small_points(), st.integers(1, 6), st.sampled_from([None, 0, 1]))
def test_groups_are_those_of_the_plain_way(points, k, room):
    most = None if room is None else k + room
    first, second = tfrp_1_groups(points, k), tfrp_2_groups(points, k, most=most)
    assert same(first, plain.tfrp_1(points, k))
    assert same(second, plain.tfrp_2(points, k, np.inf if most is None else most))
    assert numbered(first, k, 2 * k - 1)
    assert numbered(second, k, 2 * k - 1)
