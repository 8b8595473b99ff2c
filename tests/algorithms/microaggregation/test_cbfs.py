from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Cbfs
from sfumato.algorithms.microaggregation.cbfs import cbfs_groups
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.golden.reference_sets import SIZES, loss, printed, reference_set
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import numbered, same, small_points


def test_the_groups_of_standardized_columns_are_published():
    table = numbers_table()
    assert grouped(Cbfs(), table, 4) == groups_of(cbfs_groups(points_of(table), 4))


def test_units_count_where_columns_are_not_standardized():
    table = numbers_table()
    raw = groups_of(cbfs_groups(points_of(table, standardize=False), 4))
    assert grouped(Cbfs(standardize=False), table, 4) == raw != grouped(Cbfs(), table, 4)


MEASURED = {
    "tarragona": ("16.966068", "19.730025", "22.818496", "33.215422"),
    "census": ("5.653559", "7.441419", "8.884026", "14.006564"),
}
"""By another program than this one."""


@pytest.mark.parametrize("name", MEASURED)
def test_losses_on_the_reference_sets(name):
    points = reference_set(name)
    for k, figure in zip(SIZES, MEASURED[name], strict=True):
        assert loss(points, cbfs_groups(points, k)) == printed(figure)


@given(small_points(), st.integers(1, 6))
def test_groups_are_those_of_the_plain_way(points, k):
    labels = cbfs_groups(points, k)
    assert same(labels, plain.cbfs(points, k))
    assert numbered(labels, k, 2 * k - 1)
