"""Calendar units as SQL."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.sql.building import (
    as_text,
    between,
    call,
    case_when,
    cast,
    concatenated,
    constant,
    number,
    text,
)

_LENGTHS = {
    "day": ("1", "DAY"),
    "week": ("7", "DAY"),
    "month": ("1", "MONTH"),
    "quarter": ("3", "MONTH"),
    "year": ("1", "YEAR"),
    "decade": ("10", "YEAR"),
}
"""The length of each unit as an interval."""

_NANOSECONDS = 9


def range_sql(
    unit: str, first_and_last: Any, value: exp.Expr, column_type: ColumnType, engine: str
) -> tuple[exp.Expr, exp.Expr]:
    """The first and the last day or moment of the unit of a value.

    `first_and_last` are the bounds of the first and of the last unit, which are constants: computing them could
    overflow.
    """
    typed = [[constant(end, column_type, engine) for end in unit_ends] for unit_ends in first_and_last]
    begin = call("DATE_TRUNC", text(unit), exp.cast(_day(value, column_type), "timestamp"))
    computed = [begin, begin + _interval(*_LENGTHS[unit]) - _tick(column_type)]
    first, last = typed
    inside = exp.and_(value > first[1], value < last[0])
    low, high = (
        case_when(
            [
                (inside, _typed(computed[place], column_type, engine)),
                (between(value, *first), first[place]),
                (between(value, *last), last[place]),
            ]
        )
        for place in (0, 1)
    )
    return low, high


def shown_sql(unit: str, ends: tuple[Any, Any], low: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
    """The unit that begins with `low`, in words."""
    day = _day(low, column_type)
    year = _part("ISOYEAR" if unit == "week" else "YEAR", day, 4)
    parts = {
        "day": [year, text("-"), _part("MONTH", day, 2), text("-"), _part("DAY", day, 2)],
        "week": [year, text("-W"), _part("WEEK", day, 2)],
        "month": [year, text("-"), _part("MONTH", day, 2)],
        "quarter": [year, text("-Q"), _part("QUARTER", day, 1)],
        "year": [year],
        "decade": [call("SUBSTRING", year, number(1), number(3)), text("0s")],
    }
    inside = between(low, *(constant(end, column_type, engine) for end in ends))
    return case_when([(inside, concatenated(*parts[unit]))])


def _day(value: exp.Expr, column_type: ColumnType) -> exp.Expr:
    """The date of a value, in UTC."""
    if column_type.kind == "date":
        return value
    if column_type.zoned:
        value = exp.AtTimeZone(this=value.copy(), zone=text("UTC"))
    day = exp.cast(value.copy(), "date")
    if column_type.second_digits < _NANOSECONDS:
        return day
    # DuckDB rounds nanoseconds, possibly up to the next day.
    late = cast(day, column_type, "duckdb") > value
    return exp.paren(day - case_when([(late, number(1))], number(0)))


def _typed(moment: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
    """A UTC timestamp in the type of the column."""
    if column_type.zoned:
        return exp.AtTimeZone(this=exp.paren(moment.copy()), zone=text("UTC"))
    return cast(moment, column_type, engine)


def _tick(column_type: ColumnType) -> exp.Expr:
    """The distance from the beginning of a unit back to the last value before it."""
    if column_type.kind == "date":
        return _interval("1", "DAY")
    digits = column_type.second_digits
    return _interval(str(10 ** (6 - digits) if digits < _NANOSECONDS else 0), "MICROSECOND")


def _interval(length: str, unit: str) -> exp.Expr:
    return exp.Interval(this=exp.Literal.string(length), unit=exp.var(unit))


def _part(name: str, day: exp.Expr, digits: int) -> exp.Expr:
    """A part of a date as a text, padded with zeros."""
    found = exp.cast(exp.Extract(this=exp.var(name), expression=day.copy()), "bigint")
    return call("LPAD", as_text(found), number(digits), text("0"))
