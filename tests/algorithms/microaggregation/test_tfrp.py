from __future__ import annotations

import pytest

from sfumato.algorithms import Tfrp
from sfumato.algorithms.microaggregation.tfrp_groups import tfrp_1_groups, tfrp_2_groups
from sfumato.errors import ParameterError
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


def test_each_stage_publishes_its_groups():
    table = numbers_table(200)
    first, second = grouped(Tfrp(stage=1), table, 3), grouped(Tfrp(), table, 3)
    assert first == groups_of(tfrp_1_groups(points_of(table), 3))
    assert second == groups_of(tfrp_2_groups(points_of(table), 3))
    assert first != second


def test_a_cap_is_four_groups_less_one(monkeypatch):
    asked = []

    def listen(points, k, *, most):
        asked.append((k, most))
        return tfrp_2_groups(points, k, most=most)

    monkeypatch.setattr("sfumato.algorithms.microaggregation.tfrp_groups.tfrp_2_groups", listen)
    for way in (Tfrp(), Tfrp(capped=True)):
        grouped(way, numbers_table(), 3)
    assert asked == [(3, None), (3, 11)]


def test_there_are_two_stages():
    with pytest.raises(ParameterError, match="'stage' of Tfrp"):
        Tfrp(stage=3)
