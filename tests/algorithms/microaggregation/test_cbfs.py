from __future__ import annotations

from sfumato.algorithms import Cbfs
from sfumato.algorithms.microaggregation.cbfs_groups import cbfs_groups
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


def test_the_groups_of_standardized_columns_are_published():
    table = numbers_table()
    assert grouped(Cbfs(), table, 4) == groups_of(cbfs_groups(points_of(table), 4))


def test_units_count_where_columns_are_not_standardized():
    table = numbers_table()
    raw = groups_of(cbfs_groups(points_of(table, standardize=False), 4))
    assert grouped(Cbfs(standardize=False), table, 4) == raw != grouped(Cbfs(), table, 4)
