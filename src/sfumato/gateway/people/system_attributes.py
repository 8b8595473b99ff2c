"""Attributes of the current time, which conditions can test besides those of a user."""

from __future__ import annotations

from datetime import datetime


def system_attributes(now: datetime) -> dict[str, object]:
    """The time and the date; Monday is weekday 1.

    >>> found = system_attributes(datetime(2026, 1, 5, 17, 30))
    >>> found["hour"], found["weekday"], str(found["day"])
    (17, 1, '2026-01-05')
    """
    return {
        "hour": now.hour,
        "minute": now.minute,
        "weekday": now.isoweekday(),
        "day": now.date(),
        "month": now.month,
        "year": now.year,
    }
