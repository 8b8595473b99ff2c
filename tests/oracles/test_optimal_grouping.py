"""The brute force itself, on what can be counted by hand."""

from __future__ import annotations

import pytest

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from tests.oracles.models_oracle import records_of
from tests.oracles.optimal_grouping import most_groups, optimal_grouping, partitions


@pytest.mark.parametrize(("items", "bell"), [(0, 1), (1, 1), (3, 5), (5, 52), (8, 4140)])
def test_there_are_as_many_partitions_as_bell_numbers(items, bell):
    assert len(set(partitions(tuple(range(items))))) == bell


def test_numbers_are_paired_with_their_neighbours():
    table = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["10", "11", "20", "22"]})
    best = optimal_grouping(table, lambda group: len(group) >= 2)
    assert best.groups == ((0, 1), (2, 3))
    assert best.ncp == pytest.approx((2 * 1 / 12 + 2 * 2 / 12) / 4)


def test_the_running_example_in_threes():
    """3-anonymous hospital: artists and professionals apart. Job loses 1/3 each, Age 3/8 for the professionals."""
    best = optimal_grouping(hospital(), lambda group: len(group) >= 3)
    jobs = [{records_of(hospital())[item]["Job"] for item in group} for group in best.groups]
    assert sorted(map(sorted, jobs)) == [["Dancer", "Writer"], ["Engineer", "Lawyer"]]
    assert best.ncp == pytest.approx((1 / 3 + (3 / 7) * (3 / 8)) / 3)


def test_nothing_is_safe():
    assert optimal_grouping(hospital(), lambda group: False).ncp == float("inf")
    assert most_groups((0, 1, 2), lambda group: False) == 0


def test_most_groups():
    assert most_groups(tuple(range(7)), lambda group: len(group) >= 3) == 2
