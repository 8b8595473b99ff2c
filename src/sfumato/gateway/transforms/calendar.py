"""Calendar: a date or timestamp is shown as its month, year and so on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Literal

from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sqlglot import exp

Unit = Literal["day", "week", "month", "quarter", "year", "decade"]

_NANOSECONDS = 9


@dataclass(frozen=True, kw_only=True)
class Calendar(Transform):
    """Shows a day or moment as its week, month, quarter, year or decade: 2026-03-09 as 2026-03.

    Weeks begin on Monday. A timestamp with a time zone is converted to UTC, whatever the time zone of the requester is.
    Dates outside the years 1 to 9999 are hidden; nanosecond timestamps cover 1678 to 2261.

    >>> born = ColumnType.of_duckdb("DATE")
    >>> Calendar(unit="quarter").weaker(date(2026, 3, 9), born)
    (datetime.date(2026, 1, 1), datetime.date(2026, 3, 31))
    >>> Calendar(unit="quarter").shown(date(2026, 1, 1), born), Calendar(unit="week").shown(date(2026, 3, 9), born)
    ('2026-Q1', '2026-W11')
    """

    makes = "range"
    for_kinds = frozenset({"date", "timestamp"})

    unit: Unit = param("month", doc="the unit that is shown")

    def _objection(self, column_type: ColumnType) -> str | None:
        if column_type.zoned and column_type.second_digits == _NANOSECONDS:
            return "nanoseconds with a time zone cannot be cut by the calendar; store microseconds"
        return None

    def weaker(self, value: Any, column_type: ColumnType) -> tuple[Any, Any] | None:
        """The first and the last day or moment of the unit."""
        least, most = ends(column_type)
        moment = value.astimezone(UTC) if isinstance(value, datetime) and value.tzinfo is not None else value
        if moment is None or not least <= moment <= most:
            return None
        first, after = self._around(moment.date() if isinstance(moment, datetime) else moment)
        if column_type.kind == "date":
            return max(first, least), most if after is None else after - timedelta(days=1)
        tick = timedelta(microseconds=10 ** (6 - column_type.second_digits) if column_type.second_digits < 7 else 0)
        return max(_moment(first, least), least), most if after is None else min(_moment(after, most) - tick, most)

    def _around(self, day: date) -> tuple[date, date | None]:
        """The first day of the unit and that of the next one; the latter is None if it is after the year 9999."""
        first = _first(day, self.unit)
        try:
            return first, _after(first, self.unit)
        except (ValueError, OverflowError):
            return first, None

    def range_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> tuple[exp.Expr, exp.Expr]:
        """The first and the last day or moment of the unit."""
        from sfumato.gateway.transforms.sql.calendars import range_sql

        least, most = ends(column_type)
        first_and_last = (self.weaker(least, column_type), self.weaker(most, column_type))
        return range_sql(self.unit, first_and_last, value, column_type, engine)

    def shown(self, low: Any, column_type: ColumnType) -> str:
        """The unit in words."""
        year, week, _ = low.isocalendar()
        return {
            "day": f"{low.year:04}-{low.month:02}-{low.day:02}",
            "week": f"{year:04}-W{week:02}",
            "month": f"{low.year:04}-{low.month:02}",
            "quarter": f"{low.year:04}-Q{(low.month + 2) // 3}",
            "year": f"{low.year:04}",
            "decade": f"{low.year // 10 * 10:04}s",
        }[self.unit]

    def shown_sql(self, low: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """The unit in words."""
        from sfumato.gateway.transforms.sql.calendars import shown_sql

        return shown_sql(self.unit, ends(column_type), low, column_type, engine)


def ends(column_type: ColumnType) -> tuple[Any, Any]:
    """The first and the last day or moment that is not hidden."""
    if column_type.kind == "date":
        return date.min, date.max
    nanoseconds = column_type.second_digits == _NANOSECONDS
    first, last = (date(1678, 1, 1), date(2261, 12, 31)) if nanoseconds else (date.min, date.max)
    micros = 10**6 - 10 ** max(6 - column_type.second_digits, 0)
    zone = UTC if column_type.zoned else None
    return datetime.combine(first, time.min, zone), datetime.combine(last, time(23, 59, 59, micros), zone)


def _moment(day: date, like: datetime) -> datetime:
    """Midnight of the day, in the time zone of another timestamp."""
    return datetime.combine(day, time.min, like.tzinfo)


def _first(day: date, unit: Unit) -> date:
    """The first day of the unit of a day."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    months = {"day": day.month, "month": day.month, "quarter": (day.month - 1) // 3 * 3 + 1}
    year = max(day.year // 10 * 10, 1) if unit == "decade" else day.year
    return date(year, months.get(unit, 1), day.day if unit == "day" else 1)


def _after(first: date, unit: Unit) -> date:
    """The first day of the next unit."""
    days = {"day": 1, "week": 7}
    if unit in days:
        return first + timedelta(days=days[unit])
    month = first.month - 1 + {"month": 1, "quarter": 3}.get(unit, 0)
    years = {"year": 1, "decade": 10 - first.year % 10}.get(unit, 0)
    return date(first.year + years + month // 12, month % 12 + 1, 1)
