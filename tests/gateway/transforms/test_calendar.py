from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError, PolicyError
from sfumato.gateway.transforms import Calendar, ColumnType

DATE, MOMENT, ZONED = (ColumnType.of_duckdb(name) for name in ("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"))
NAMES = {"day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m", "year": "%Y"}


@pytest.mark.parametrize(
    ("unit", "first", "last", "shown"),
    [
        ("day", date(2026, 3, 9), date(2026, 3, 9), "2026-03-09"),
        ("week", date(2026, 3, 9), date(2026, 3, 15), "2026-W11"),
        ("month", date(2026, 3, 1), date(2026, 3, 31), "2026-03"),
        ("quarter", date(2026, 1, 1), date(2026, 3, 31), "2026-Q1"),
        ("year", date(2026, 1, 1), date(2026, 12, 31), "2026"),
        ("decade", date(2020, 1, 1), date(2029, 12, 31), "2020s"),
    ],
)
def test_units(unit: str, first: date, last: date, shown: str) -> None:
    made = Calendar(unit=unit)
    assert made.weaker(date(2026, 3, 9), DATE) == (first, last)
    assert made.shown(first, DATE) == shown
    low, high = made.weaker(datetime(2026, 3, 9, 23, 59, 59, 999999), MOMENT)
    assert (low, high) == (datetime.combine(first, datetime.min.time()), datetime.combine(last, datetime.max.time()))
    assert made.weaker(None, DATE) is None


def test_the_first_and_the_last_unit_end_with_the_calendar() -> None:
    assert Calendar(unit="decade").weaker(date(5, 1, 1), DATE) == (date(1, 1, 1), date(9, 12, 31))
    assert Calendar(unit="week").weaker(date.max, DATE) == (date(9999, 12, 27), date.max)


def test_moments_are_looked_at_in_greenwich() -> None:
    new_year = datetime(2026, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=2)))
    assert Calendar(unit="year").weaker(new_year, ZONED)[0] == datetime(2025, 1, 1, tzinfo=UTC)


def test_seconds_without_digits_end_at_a_second() -> None:
    low, high = Calendar(unit="day").weaker(datetime(2026, 3, 9, 5), ColumnType.of_duckdb("TIMESTAMP_S"))
    assert high == datetime(2026, 3, 9, 23, 59, 59)
    assert low == datetime(2026, 3, 9)


def test_nanoseconds_with_a_zone_are_refused() -> None:
    with pytest.raises(PolicyError, match="nanoseconds"):
        Calendar().demand(ColumnType.of_duckdb("TIMESTAMPTZ_NS"), "seen")
    with pytest.raises(ParameterError, match="'unit' of Calendar"):
        Calendar(unit="hour")


@given(st.dates(min_value=date(1000, 1, 1)), st.dates(min_value=date(1000, 1, 1)), st.sampled_from(sorted(NAMES)))
def test_days_are_shown_alike_if_their_names_are(one: date, other: date, unit: str) -> None:
    made = Calendar(unit=unit)
    low, high = made.weaker(one, DATE)
    assert low <= one <= high
    assert made.shown(low, DATE) == one.strftime(NAMES[unit])
    assert (made.weaker(other, DATE) == (low, high)) == (one.strftime(NAMES[unit]) == other.strftime(NAMES[unit]))
