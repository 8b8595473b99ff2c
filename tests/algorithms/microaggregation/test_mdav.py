from __future__ import annotations

import pytest

from sfumato.algorithms import Mdav
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.oracles.plain_mdav import plain_mdav


@pytest.mark.parametrize(("leftovers", "ending"), [("group", "generic"), ("nearest", "mdav")])
@pytest.mark.parametrize("k", [3, 7])
def test_groups_are_those_of_the_plain_way(leftovers, ending, k):
    table = numbers_table(61)
    expected = groups_of(plain_mdav(points_of(table), k, ending))
    assert grouped(Mdav(leftovers=leftovers), table, k) == expected


def test_both_ways_with_leftovers_differ():
    table = numbers_table(61)
    assert grouped(Mdav(), table, 3) != grouped(Mdav(leftovers="nearest"), table, 3)


def test_units_count_where_columns_are_not_standardized():
    table = numbers_table()
    raw = groups_of(plain_mdav(points_of(table, standardize=False), 4, "generic"))
    assert grouped(Mdav(standardize=False), table, 4) == raw != grouped(Mdav(), table, 4)
