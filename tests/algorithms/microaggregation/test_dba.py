from __future__ import annotations

import pytest

from sfumato.algorithms import Dba
from sfumato.algorithms.microaggregation.dba_groups import dba_1_groups, dba_2_groups
from sfumato.errors import ParameterError
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


def test_each_stage_publishes_its_groups():
    table = numbers_table()
    first, second = grouped(Dba(stage=1), table, 3), grouped(Dba(), table, 3)
    assert first == groups_of(dba_1_groups(points_of(table), 3))
    assert second == groups_of(dba_2_groups(points_of(table), 3))
    assert first != second


def test_there_are_two_stages():
    with pytest.raises(ParameterError, match="'stage' of Dba"):
        Dba(stage=0)
