from __future__ import annotations

from sfumato.algorithms import Mdav2
from sfumato.algorithms.microaggregation.mdav_2_groups import mdav_2_groups
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


def test_its_groups_are_published():
    table = numbers_table()
    assert grouped(Mdav2(), table, 3) == groups_of(mdav_2_groups(points_of(table), 3))
    assert Mdav2.name() == "mdav_2"
