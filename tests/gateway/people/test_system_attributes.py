from __future__ import annotations

from datetime import date, datetime

from sfumato.gateway.conditions.conditions import Condition
from sfumato.gateway.people.system_attributes import system_attributes


def test_the_clock_and_the_calendar() -> None:
    assert system_attributes(datetime(2026, 3, 1, 23, 59, 58)) == {
        "hour": 23,
        "minute": 59,
        "weekday": 7,
        "day": date(2026, 3, 1),
        "month": 3,
        "year": 2026,
    }


def test_conditions_can_ask_for_them() -> None:
    office = Condition.parse("weekday <= 5 and 9 <= hour <= 17 and day >= date '2026-01-01'")
    assert office.check(system_attributes(datetime(2026, 1, 5, 9))) is True
    assert office.check(system_attributes(datetime(2026, 1, 4, 9))) is False
    assert office.check(system_attributes(datetime(2025, 12, 29, 9))) is False
