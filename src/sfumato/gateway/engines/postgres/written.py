"""Values as texts that are the same in every session, whatever its time zone, date style or number of digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from sfumato.gateway.transforms.column_types import ColumnType

_ENDLESS = ("infinity", "-infinity")
_LAST = "294276-12-31"
"""The last day that has a midnight in PostgreSQL; a later one is written as the session writes days."""


def as_written(value: exp.Expr, held: ColumnType | None) -> exp.Expr:
    """The text of a value of a type; of one whose type is not known, as the session writes it.

    Days are written year first, moments by the clock of Greenwich (UTC), floats with the digits that are certain.
    """
    if held is not None and held.kind == "float":
        return _float(value)
    if held is not None and held.kind == "date":
        late = exp.GT(this=value.copy(), expression=_known(_LAST, "date"))
        return _moment(value, exp.cast(value.copy(), "timestamp"), "date", "YYYY-MM-DD", "", late)
    if held is not None and held.kind == "timestamp":
        kind, zone = ("timestamptz", "+00") if held.zoned else ("timestamp", "")
        moment = exp.AtTimeZone(this=value.copy(), zone=exp.Literal.string("UTC")) if held.zoned else value
        return _moment(value, moment, kind, "YYYY-MM-DD HH24:MI:SS.US", zone)
    return _text(value)


def _float(value: exp.Expr) -> exp.Expr:
    """Through a decimal, which has 15 digits of a float (6 of one of 32 bits) and is written in one way only."""
    endless = exp.In(this=value.copy(), expressions=[_known(one, "double") for one in ("NaN", *_ENDLESS)])
    return exp.Case().when(endless, _text(value)).else_(_text(exp.cast(value.copy(), "decimal")))


def _moment(
    value: exp.Expr, moment: exp.Expr, kind: str, form: str, zone: str, late: exp.Expr | None = None
) -> exp.Expr:
    """What has no end is written as a word in every session; before the year 1 years are counted backwards."""
    endless: exp.Expr = exp.In(this=value.copy(), expressions=[_known(one, kind) for one in _ENDLESS])
    first = exp.LT(this=value.copy(), expression=_known(f"0001-01-01{' 00:00:00+00' if zone else ''}", kind))
    written = exp.Anonymous(this="TO_CHAR", expressions=[moment.copy(), exp.Literal.string(form)])
    return (
        exp.Case()
        .when(endless if late is None else exp.or_(endless, late), _text(value))
        .when(first, _ending(written, f"{zone} BC"))
        .else_(_ending(written, zone))
    )


def _ending(written: exp.Expr, ending: str) -> exp.Expr:
    return exp.DPipe(this=written.copy(), expression=exp.Literal.string(ending)) if ending else written.copy()


def _known(text: str, kind: str) -> exp.Expr:
    return exp.cast(exp.Literal.string(text), kind)


def _text(value: exp.Expr) -> exp.Expr:
    return exp.cast(value.copy(), "text")
