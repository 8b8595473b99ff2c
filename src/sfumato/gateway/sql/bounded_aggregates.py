"""SQL that makes an exact aggregate total: it fails for no stored value, and its type is always the same.

A caller who repeats an aggregate gets the recorded number of the first time, whatever has changed since. If a stored
value could make the second evaluation fail (an infinite date, a sum that overflows) or change its type (a decimal with
more digits), the sets of people for which that happens would reveal whose value it is. So values are clamped before
they are added up, and minimum and maximum are clamped after they are found. All bounds preserve order: the maximum of
clamped values is the clamped maximum.

`expressions` calls `bounded_addend` on the argument of an audited sum; `statistics.exact_answers` calls
`bounded_results` on the columns that it hands over.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sfumato.gateway.transforms.column_types import ColumnType

_DIGITS = 38
"""Digits of an answered decimal or integer."""

_ADDED_DIGITS = 30
"""Digits of a value that is added up; a sum of 100 million of them has 38."""

_PLACES, _MAX_PLACES = 10, 18
"""Decimal places where the type does not state them, and the largest number of places."""

_DOUBLE_BOUND, _SINGLE_BOUND = "1e140", "1e30"
"""Bounds of floating numbers that are added up, for double and for single precision.

For a mean PostgreSQL squares their sums, and the squares for 20 million records must not overflow.
"""

_TIMESTAMPS_IN_SECONDS = ("0001-01-01 00:00:00", "0001-01-02 00:00:00", "9999-12-30 00:00:00", "9999-12-31 23:59:59")
_DATES = ("0001-01-01", "0001-01-02", "9999-12-30", "9999-12-31")
_TIMESTAMPS = ("0001-01-01 00:00:00", "0001-01-02 00:00:00", "9999-12-30 00:00:00", "9999-12-31 23:59:59.999999")
_LARGEST_UNITS = 10**_DIGITS - 1
_UNIT_BOUNDS = (-_LARGEST_UNITS, 1 - _LARGEST_UNITS, _LARGEST_UNITS - 1, _LARGEST_UNITS)
"""The lowest, second lowest, second highest and highest answer, in units of the last decimal place."""


def bounded_addend(number: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
    """A number of this column type as it is added up: 0 if it is infinite or NaN, and clamped to the bounds.

    >>> bounded_addend(exp.column("a"), ColumnType.of_postgres("integer"), "postgres").sql()
    'a'
    >>> bounded_addend(exp.column("a"), ColumnType.of_postgres("numeric(5, 2)"), "postgres").sql("postgres")
    'CASE WHEN (a - a) <> 0 THEN 0 ELSE a END'
    """
    if column_type.kind == "float":
        most: exp.Expr = (
            exp.cast(exp.Literal.number(_SINGLE_BOUND), "real")
            if column_type.single
            else exp.Literal.number(_DOUBLE_BOUND)
        )
        return _finite(number, _clamped(number, exp.Neg(this=most), most))
    if column_type.kind not in ("integer", "decimal"):
        return number
    bounded = number
    # Only types whose sums could exceed 38 digits are clamped; for the others the plain column is faster.
    fine_digits = column_type.scale is None or column_type.scale > _MAX_PLACES
    if (
        fine_digits
        or column_type.largest is None
        or column_type.largest * 10 ** _decimal_places(column_type) >= 10**_ADDED_DIGITS
    ):
        kind = _result_type(column_type, engine)
        # A numeric of PostgreSQL is bounded before it is rounded: rounding the largest ones leaves the type.
        fine = exp.cast(number, kind) if fine_digits and engine != "postgres" else number
        text = "1" + "0" * (_ADDED_DIGITS - _decimal_places(column_type))
        low, high = (exp.cast(exp.Literal.string(one), kind) for one in (f"-{text}", text))
        bounded = _clamped(fine, low, high)
        if fine_digits and engine == "postgres":
            bounded = exp.Round(this=bounded, decimals=exp.Literal.number(_MAX_PLACES))
    return _finite(number, bounded) if column_type.kind == "decimal" and engine == "postgres" else bounded


def bounded_results(
    function: str, columns: Sequence[exp.Expr], kind: str, column_type: ColumnType, engine: str
) -> list[exp.Expr]:
    """The flat columns of an evaluated aggregate on this column type, clamped and of a fixed type."""
    if function in ("min", "max"):
        ends = ["single"] if len(columns) == 1 else ["low", "high"]
        return [_extreme(column, end, kind, column_type, engine) for column, end in zip(columns, ends, strict=True)]
    if function == "sum" and kind != "float" and engine == "postgres":
        return [exp.cast(column, _result_type(column_type, engine)) for column in columns]
    return list(columns)


def _extreme(column: exp.Expr, end: str, kind: str, column_type: ColumnType, engine: str) -> exp.Expr:
    """A minimum or maximum, or one end of its range, within the bounds of its type."""
    if kind == "date":
        return _bounded(column, end, "DATE", _DATES)
    if kind == "timestamp":
        return _extreme_timestamp(column, end, column_type, engine)
    if column_type.kind == "integer" and column_type.bounds is not None and column_type.bounds[1] > _LARGEST_UNITS:
        return _bounded(column, end, _result_type(column_type, engine), [str(one) for one in _UNIT_BOUNDS])
    if column_type.kind == "decimal" and engine == "postgres":
        return exp.cast(
            _bounded(
                column,
                end,
                _result_type(column_type, engine),
                [_decimal_text(one, _decimal_places(column_type)) for one in _UNIT_BOUNDS],
            ),
            _result_type(column_type, engine),
        )
    return column


def _extreme_timestamp(column: exp.Expr, end: str, column_type: ColumnType, engine: str) -> exp.Expr:
    """A timestamp within bounds of its own type: one in whole seconds may lie beyond every microsecond timestamp."""
    if engine == "duckdb" and column_type.second_digits < 6:
        return _bounded(column, end, column_type.name, _TIMESTAMPS_IN_SECONDS)
    kind = "TIMESTAMPTZ" if column_type.zoned else "TIMESTAMP"
    texts = [f"{text}+00" for text in _TIMESTAMPS] if column_type.zoned else _TIMESTAMPS
    return _bounded(exp.cast(column, kind) if column_type.second_digits > 6 else column, end, kind, texts)


def _bounded(column: exp.Expr, end: str, kind: str, texts: Sequence[str]) -> exp.Expr:
    """A value within four bounds, of which the outer pair or a mixed pair applies.

    The low end of a range stays below the highest bound and the high end above the lowest one: if both ends were
    clamped to the same value, the range would look like an exact value.
    """
    lowest, next_lowest, next_highest, highest = (
        exp.cast(exp.Literal.string(text), kind, dialect="duckdb") for text in texts
    )
    return _clamped(column, next_lowest if end == "high" else lowest, next_highest if end == "low" else highest)


def _clamped(value: exp.Expr, low: exp.Expr, high: exp.Expr) -> exp.Expr:
    """The value, or the bound that it exceeds; NULL stays NULL."""
    beyond = exp.Case().when(exp.LT(this=value.copy(), expression=low.copy()), low.copy())
    return beyond.when(exp.GT(this=value.copy(), expression=high.copy()), high.copy()).else_(value.copy())


def _finite(number: exp.Expr, bounded: exp.Expr) -> exp.Expr:
    """0 if the number minus itself is not 0 (infinity and NaN), else the bounded number."""
    # Infinity minus infinity and NaN minus NaN are NaN, which both engines treat as different from 0.
    left = exp.paren(exp.Sub(this=number.copy(), expression=number.copy()))
    nothing = exp.Literal.number(0)
    return exp.Case().when(exp.NEQ(this=left, expression=nothing), nothing.copy()).else_(bounded.copy())


def _result_type(column_type: ColumnType, engine: str) -> str:
    """The type of an answered integer or decimal."""
    return (
        "HUGEINT"
        if column_type.kind == "integer" and engine != "postgres"
        else f"DECIMAL({_DIGITS}, {_decimal_places(column_type)})"
    )


def _decimal_places(column_type: ColumnType) -> int:
    """The decimal places of an answer on this column type."""
    if column_type.kind == "integer":
        return 0
    return _PLACES if column_type.scale is None else min(max(column_type.scale, 0), _MAX_PLACES)


def _decimal_text(units: int, places: int) -> str:
    """A number of units of the last decimal place, as a text.

    >>> _decimal_text(-12345, 2), _decimal_text(7, 0)
    ('-123.45', '7')
    """
    digits = str(abs(units)).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if units < 0 else text
