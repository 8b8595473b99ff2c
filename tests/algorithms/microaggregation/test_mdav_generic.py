from __future__ import annotations

import pytest

from sfumato.algorithms import MdavGeneric
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.oracles.plain_mdav import plain_mdav


@pytest.mark.parametrize("k", [2, 5, 7])
def test_groups_are_those_of_the_plain_way(k):
    table = numbers_table(63)
    assert grouped(MdavGeneric(), table, k) == groups_of(plain_mdav(points_of(table), k, "generic"))


def test_no_group_could_be_cut_in_two():
    sizes = sorted(map(len, grouped(MdavGeneric(), numbers_table(64), 5)))
    assert 5 <= sizes[0] <= sizes[-1] <= 9
