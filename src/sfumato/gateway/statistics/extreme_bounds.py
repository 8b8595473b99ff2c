"""SQL that brings a least or largest value within what an answer can hold.

An infinite day, or a decimal of a hundred digits, cannot be handed over. If that were an error, whoever asks the same
again after a change would learn in which sets of people such a value is, and so whose it is. So what lies beyond the
bounds counts as the bound itself. This keeps the order of values: the largest of bounded values is the bounded largest
value.
"""

from __future__ import annotations

from sqlglot import exp

from sfumato.gateway.sql.outputs import Output
from sfumato.transforms.column_types import ColumnType

_DIGITS, _PLACES = 38, 18
"""Digits of a decimal, and how many of them are after the point where its type does not say."""

_BOUNDS = {
    "date": ("CAST('0001-01-01' AS DATE)", "CAST('9999-12-31' AS DATE)"),
    "timestamp": (
        "CAST('0001-01-01 00:00:00' AS TIMESTAMP)",
        "CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP)",
    ),
    "moment": (
        "CAST('0001-01-01 00:00:00+00' AS TIMESTAMPTZ)",
        "CAST('9999-12-31 23:59:59.999999+00' AS TIMESTAMPTZ)",
    ),
}


def bounded(output: Output, of: ColumnType, engine: str) -> list[str]:
    """The columns of a measured least or largest value of a column of this type, each within its bounds."""
    return [_bounded(exp.column(name, quoted=True).sql(engine), output.value.kind, of, engine) for name in output.names]


def _bounded(value: str, kind: str, of: ColumnType, engine: str) -> str:
    if kind in ("decimal", "number") and engine == "postgres":  # elsewhere decimals are finite, and of 38 digits
        declared = of.bounds is not None and of.bounds[1] < 10**_DIGITS and (of.scale or 0) >= 0
        places = (of.scale or 0) if declared else _PLACES
        fine = value if declared else f"trim_scale(round({value}, {_PLACES}))"
        largest = f"{'9' * (_DIGITS - places)}.{'9' * places}"
        return _between(value, fine, f"-{largest}", largest)
    if kind == "timestamp" and of.second_digits <= 6:  # finer ones reach from 1677 to 2262, and are finite
        return _between(value, value, *_BOUNDS["moment" if of.zoned else "timestamp"])
    if kind == "date":
        return _between(value, value, *_BOUNDS["date"])
    return value


def _between(value: str, fine: str, low: str, high: str) -> str:
    return f"CASE WHEN {value} < {low} THEN {low} WHEN {value} > {high} THEN {high} ELSE {fine} END"
