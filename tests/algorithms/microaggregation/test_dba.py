from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Dba
from sfumato.algorithms.microaggregation.dba import dba_1_groups, dba_2_groups
from sfumato.errors import ParameterError
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.golden.reference_sets import SIZES, loss, printed, reference_set
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import numbered, same, small_points


def test_each_stage_publishes_its_groups():
    table = numbers_table()
    first, second = grouped(Dba(stage=1), table, 3), grouped(Dba(), table, 3)
    assert first == groups_of(dba_1_groups(points_of(table), 3))
    assert second == groups_of(dba_2_groups(points_of(table), 3))
    assert first != second


def test_there_are_two_stages():
    with pytest.raises(ParameterError, match="'stage' of Dba"):
        Dba(stage=0)


FIRST = {
    "tarragona": ("20.69948803", "23.82761456", "26.00129826", "35.39295837"),
    "census": ("6.144855154", "9.127883805", "10.84218735", "15.78549732"),
    "eia": ("1.090194828", "0.84346907", "1.895536919", "4.265801303"),
}
SECOND = {
    "tarragona": ("16.15265063", "22.67107728", "25.45039236", "34.80675148"),
    "census": ("5.581605762", "7.591307664", "9.046162117", "13.52140518"),
    "eia": ("0.421048322", "0.559755523", "0.81849828", "2.080980825"),
}


@pytest.mark.parametrize("name", FIRST)
def test_losses_on_the_reference_sets(name):
    points = reference_set(name)
    for k, first, second in zip(SIZES, FIRST[name], SECOND[name], strict=True):
        assert loss(points, dba_1_groups(points, k)) == printed(first)
        labels = dba_2_groups(points, k)
        assert loss(points, labels) == printed(second)
        assert numbered(labels, k, 2 * k - 1)


@given(small_points(), st.integers(1, 6))
def test_groups_are_those_of_the_plain_way(points, k):
    first, second = dba_1_groups(points, k), dba_2_groups(points, k)
    assert same(first, plain.dba_1(points, k))
    assert same(second, plain.dba_2(points, k))
    assert numbered(first, k, 2 * k - 1)
    assert numbered(second, k, 2 * k - 1)
