from __future__ import annotations

from datetime import date

from sfumato.gateway.policy.sections import ValidSection


def test_the_days_on_which_a_validity_changes() -> None:
    endless = ValidSection(valid_from=date(2026, 1, 1), valid_until=date.max)
    assert (endless.days_of_change, ValidSection().days_of_change) == ([date(2026, 1, 1)], [])
    assert not endless.has_ended(date.max)


def test_a_validity_has_ended_the_day_after_its_last() -> None:
    january = ValidSection(valid_until=date(2026, 1, 31))
    assert [january.has_ended(day) for day in (date(2026, 1, 31), date(2026, 2, 1))] == [False, True]
