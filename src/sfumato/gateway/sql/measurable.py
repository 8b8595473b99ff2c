"""SQL that makes measuring an exact aggregate total: it fails for no stored value, and its type is always the same.

Who asks for an aggregate again gets the number of the first time, whatever has changed. If a stored value could make
the second measuring fail (an infinite day, a sum that leaves its type) or give it another type (a decimal with more
digits), the sets of people for which that happens would tell whose value it is. So values that are added up are brought
within bounds first, and least and largest values after they are found. All bounds keep the order of values: the largest
of bounded values is the bounded largest value.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sfumato.gateway.transforms.column_types import ColumnType

_DIGITS = 38
"""Digits of an answered decimal or whole number."""

_ADDED_DIGITS = 30
"""Digits of a value that is added up; a sum of 100 million of them has 38."""

_PLACES, _MOST_PLACES = 10, 18
"""Digits after the point where the type does not say how many, and at most."""

_FLOAT, _SINGLE = "1e140", "1e30"
"""Bounds of floating numbers that are added up.

On the way to a mean PostgreSQL squares sums of them, and the squares of 20 million records must not leave their type.
"""

_COARSE_MOMENTS = ("0001-01-01 00:00:00", "0001-01-02 00:00:00", "9999-12-30 00:00:00", "9999-12-31 23:59:59")
_DAYS = ("0001-01-01", "0001-01-02", "9999-12-30", "9999-12-31")
_MOMENTS = ("0001-01-01 00:00:00", "0001-01-02 00:00:00", "9999-12-30 00:00:00", "9999-12-31 23:59:59.999999")
_MOST = 10**_DIGITS - 1
_UNITS = (-_MOST, 1 - _MOST, _MOST - 1, _MOST)


def addable(number: exp.Expr, of: ColumnType, engine: str) -> exp.Expr:
    """A number of a column of this type as it is added up: 0 where it is infinite or none, and not beyond bounds.

    >>> addable(exp.column("a"), ColumnType.of_postgres("integer"), "postgres").sql()
    'a'
    >>> addable(exp.column("a"), ColumnType.of_postgres("numeric(5, 2)"), "postgres").sql("postgres")
    'CASE WHEN (a - a) <> 0 THEN 0 ELSE a END'
    """
    if of.kind == "float":
        most: exp.Expr = exp.cast(exp.Literal.number(_SINGLE), "real") if of.single else exp.Literal.number(_FLOAT)
        return _finite(number, _between(number, exp.Neg(this=most), most))
    if of.kind not in ("integer", "decimal"):
        return number
    bounded = number
    fine_digits = of.scale is None or of.scale > _MOST_PLACES
    if fine_digits or of.largest is None or of.largest * 10 ** _places(of) >= 10**_ADDED_DIGITS:
        kind = _kind(of, engine)
        # A numeric of PostgreSQL is bounded before it is rounded: rounding the largest ones leaves the type.
        fine = exp.cast(number, kind) if fine_digits and engine != "postgres" else number
        text = "1" + "0" * (_ADDED_DIGITS - _places(of))
        low, high = (exp.cast(exp.Literal.string(one), kind) for one in (f"-{text}", text))
        bounded = _between(fine, low, high)
        if fine_digits and engine == "postgres":
            bounded = exp.Round(this=bounded, decimals=exp.Literal.number(_MOST_PLACES))
    return _finite(number, bounded) if of.kind == "decimal" and engine == "postgres" else bounded


def handed_over(function: str, columns: Sequence[exp.Expr], kind: str, of: ColumnType, engine: str) -> list[exp.Expr]:
    """The flat columns of a measured aggregate of a column of this type, within bounds and of one type."""
    if function in ("min", "max"):
        ends = ["single"] if len(columns) == 1 else ["low", "high"]
        return [_extreme(column, end, kind, of, engine) for column, end in zip(columns, ends, strict=True)]
    if function == "sum" and kind != "float" and engine == "postgres":
        return [exp.cast(column, _kind(of, engine)) for column in columns]
    return list(columns)


def _extreme(column: exp.Expr, end: str, kind: str, of: ColumnType, engine: str) -> exp.Expr:
    """A least or largest value, or one end of a range."""
    if kind == "date":
        return _within(column, end, "DATE", _DAYS)
    if kind == "timestamp":
        return _moment(column, end, of, engine)
    if of.kind == "integer" and of.bounds is not None and of.bounds[1] > _MOST:
        return _within(column, end, _kind(of, engine), [str(one) for one in _UNITS])
    if of.kind == "decimal" and engine == "postgres":
        return exp.cast(
            _within(column, end, _kind(of, engine), [_scaled(one, _places(of)) for one in _UNITS]), _kind(of, engine)
        )
    return column


def _moment(column: exp.Expr, end: str, of: ColumnType, engine: str) -> exp.Expr:
    """A moment between bounds of its own type: one of whole seconds may lie beyond all microseconds."""
    if engine == "duckdb" and of.second_digits < 6:
        return _within(column, end, of.name, _COARSE_MOMENTS)
    kind = "TIMESTAMPTZ" if of.zoned else "TIMESTAMP"
    texts = [f"{text}+00" for text in _MOMENTS] if of.zoned else _MOMENTS
    return _within(exp.cast(column, kind) if of.second_digits > 6 else column, end, kind, texts)


def _within(column: exp.Expr, end: str, kind: str, texts: Sequence[str]) -> exp.Expr:
    """A value between bounds; the ends of a range stay apart, or it would look like an exact value."""
    lowest, next_lowest, next_highest, highest = (
        exp.cast(exp.Literal.string(text), kind, dialect="duckdb") for text in texts
    )
    return _between(column, next_lowest if end == "high" else lowest, next_highest if end == "low" else highest)


def _between(value: exp.Expr, low: exp.Expr, high: exp.Expr) -> exp.Expr:
    beyond = exp.Case().when(exp.LT(this=value.copy(), expression=low.copy()), low.copy())
    return beyond.when(exp.GT(this=value.copy(), expression=high.copy()), high.copy()).else_(value.copy())


def _finite(number: exp.Expr, bounded: exp.Expr) -> exp.Expr:
    """0 where a number less itself is not 0: infinity less infinity is no number."""
    left = exp.paren(exp.Sub(this=number.copy(), expression=number.copy()))
    nothing = exp.Literal.number(0)
    return exp.Case().when(exp.NEQ(this=left, expression=nothing), nothing.copy()).else_(bounded.copy())


def _kind(of: ColumnType, engine: str) -> str:
    """The type of an answered whole number or decimal."""
    return "HUGEINT" if of.kind == "integer" and engine != "postgres" else f"DECIMAL({_DIGITS}, {_places(of)})"


def _places(of: ColumnType) -> int:
    if of.kind == "integer":
        return 0
    return _PLACES if of.scale is None else min(max(of.scale, 0), _MOST_PLACES)


def _scaled(units: int, places: int) -> str:
    """So many units of the last digit.

    >>> _scaled(-12345, 2), _scaled(7, 0)
    ('-123.45', '7')
    """
    digits = str(abs(units)).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if units < 0 else text
