from __future__ import annotations

import pytest

from sfumato.algorithms import VMdav
from sfumato.algorithms.microaggregation.v_mdav_groups import v_mdav_groups
from sfumato.errors import ParameterError
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


@pytest.mark.parametrize("gamma", [0.2, 1.1])
def test_gamma_decides_how_groups_grow(gamma):
    table = numbers_table()
    assert grouped(VMdav(gamma=gamma), table, 4) == groups_of(v_mdav_groups(points_of(table), 4, gamma))


def test_a_greater_gamma_makes_other_groups():
    assert grouped(VMdav(), numbers_table(), 4) != grouped(VMdav(gamma=1.1), numbers_table(), 4)


def test_a_negative_gamma_is_refused():
    with pytest.raises(ParameterError, match="'gamma' of VMdav must be number >= 0"):
        VMdav(gamma=-0.1)
