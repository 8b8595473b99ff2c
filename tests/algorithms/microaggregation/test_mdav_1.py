from __future__ import annotations

import pytest

from sfumato.algorithms import Mdav1
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.oracles.plain_mdav import plain_mdav


@pytest.mark.parametrize("k", [2, 5, 7])
def test_groups_are_those_of_the_plain_way(k):
    table = numbers_table(64)
    assert grouped(Mdav1(), table, k) == groups_of(plain_mdav(points_of(table), k, "mdav_1"))
