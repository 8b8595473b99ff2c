"""SQL of the flat relation for BI tools, which know nothing of weaker values: no column name suggests an exact value.

`ToolsView` in `tools.py` decides which columns a flat view has; this module writes its SELECT, including texts that are
the same in every session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import PolicyError

if TYPE_CHECKING:
    from sfumato.gateway.transforms.column_types import ColumnType

ENDINGS = ("lo", "hi", "exact")
HIDDEN = ".hidden"
"""Ending of the flags that say whether a value is hidden. Flat views leave them out, because they reveal what a person
chose."""

_INFINITE = ("infinity", "-infinity")
_LAST_DATE = "294276-12-31"
"""The last date with a midnight timestamp in PostgreSQL; a later date is written in the session's format."""


def flat_select(
    columns: Sequence[str],
    source: exp.Table,
    weaker_texts: Mapping[str, exp.Expression] | None = None,
    types: Mapping[str, ColumnType] | None = None,
) -> exp.Select:
    """The columns of a masked relation under names that any tool can use.

    A range `income` becomes income_lo, income_hi, income_exact (whether the two are equal) and income_shown, a text to
    read. `weaker_texts` can give the text of a column's weaker values, as an expression over `"income.lo"` and
    `"income.hi"`; `types` are the types of columns, so that the text is the same in every session. A weaker text `name`
    becomes name_shown and name_exact.

    >>> print(flat_select(["id", "income.lo", "income.hi"], exp.to_table("shop.customer")).sql("postgres", pretty=True))
    SELECT
      "id" AS "id",
      "income.lo" AS "income_lo",
      "income.hi" AS "income_hi",
      "income.lo" = "income.hi" AS "income_exact",
      CASE
        WHEN "income.lo" = "income.hi"
        THEN CAST("income.lo" AS TEXT)
        ELSE CAST("income.lo" AS TEXT) || '-' || CAST("income.hi" AS TEXT)
      END AS "income_shown"
    FROM shop.customer
    """
    made: dict[str, exp.Expr] = {}
    kept = [column for column in columns if not column.endswith(HIDDEN)]
    for column in kept:
        for name, value in _parts(column, set(kept), weaker_texts or {}, types or {}):
            if name in made:
                raise PolicyError(
                    f"the flat relation of {source.name!r} would have two columns {name!r}; rename the column of the "
                    "table, or deploy without logins for tools."
                )
            made[name] = value
    return exp.select(*[exp.alias_(value, name, quoted=True) for name, value in made.items()]).from_(source)


def _parts(
    column: str, columns: set[str], weaker_texts: Mapping[str, exp.Expression], types: Mapping[str, ColumnType]
) -> list[tuple[str, exp.Expr]]:
    """The flat columns that one column of the masked relation becomes: names and expressions."""
    name, _, ending = column.rpartition(".")
    # The columns of a range are adjacent. The upper bound also
    # yields the two derived columns, so that they come once.
    if ending == "hi" and f"{name}.lo" in columns:
        same = exp.EQ(this=_column(f"{name}.lo"), expression=_column(column))
        text = _range_text(name, weaker_texts.get(name), types.get(name))
        return [(f"{name}_hi", _column(column)), (f"{name}_exact", same), (f"{name}_shown", text)]
    if name and ending in ENDINGS:
        return [(f"{name}_{ending}", _column(column))]
    return [(f"{column}_shown" if f"{column}.exact" in columns else column, _column(column))]


def _range_text(name: str, weaker: exp.Expression | None, column_type: ColumnType | None) -> exp.Expr:
    """The text of a range: its value if it is exact, otherwise the weaker text or "lo-hi"."""
    lo, hi = _column(f"{name}.lo"), _column(f"{name}.hi")
    least: exp.Expr = as_stable_text(lo, column_type)
    if weaker is None:
        dashed = exp.DPipe(this=least.copy(), expression=exp.Literal.string("-"))
        weaker = exp.DPipe(this=dashed, expression=as_stable_text(hi, column_type))
    return exp.case().when(exp.EQ(this=lo, expression=hi), least).else_(weaker.copy())


def _column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)


def as_stable_text(value: exp.Expr, column_type: ColumnType | None) -> exp.Expr:
    """The text of a value of a type, independent of the session's time zone, date style and float digits.

    Dates are written year first, timestamps in UTC, floats with the digits that are certain. A value of unknown type is
    written in the session's format.
    """
    if column_type is not None and column_type.kind == "float":
        return _float_text(value)
    if column_type is not None and column_type.kind == "date":
        late = exp.GT(this=value.copy(), expression=_typed_literal(_LAST_DATE, "date"))
        return _timestamp_text(value, exp.cast(value.copy(), "timestamp"), "date", "YYYY-MM-DD", "", late)
    if column_type is not None and column_type.kind == "timestamp":
        kind, zone = ("timestamptz", "+00") if column_type.zoned else ("timestamp", "")
        moment = exp.AtTimeZone(this=value.copy(), zone=exp.Literal.string("UTC")) if column_type.zoned else value
        return _timestamp_text(value, moment, kind, "YYYY-MM-DD HH24:MI:SS.US", zone)
    return _text(value)


def _float_text(value: exp.Expr) -> exp.Expr:
    """Cast through a decimal, which keeps 15 digits of a float (6 of a 32-bit one) and has one text form only."""
    is_infinite = exp.In(this=value.copy(), expressions=[_typed_literal(one, "double") for one in ("NaN", *_INFINITE)])
    return exp.Case().when(is_infinite, _text(value)).else_(_text(exp.cast(value.copy(), "decimal")))


def _timestamp_text(
    value: exp.Expr, moment: exp.Expr, kind: str, form: str, zone: str, late: exp.Expr | None = None
) -> exp.Expr:
    """Infinite values have a fixed text in every session; years before the year 1 get the ending BC."""
    is_infinite: exp.Expr = exp.In(this=value.copy(), expressions=[_typed_literal(one, kind) for one in _INFINITE])
    first = exp.LT(this=value.copy(), expression=_typed_literal(f"0001-01-01{' 00:00:00+00' if zone else ''}", kind))
    formatted = exp.Anonymous(this="TO_CHAR", expressions=[moment.copy(), exp.Literal.string(form)])
    return (
        exp.Case()
        .when(is_infinite if late is None else exp.or_(is_infinite, late), _text(value))
        .when(first, _with_ending(formatted, f"{zone} BC"))
        .else_(_with_ending(formatted, zone))
    )


def _with_ending(formatted: exp.Expr, ending: str) -> exp.Expr:
    return exp.DPipe(this=formatted.copy(), expression=exp.Literal.string(ending)) if ending else formatted.copy()


def _typed_literal(text: str, kind: str) -> exp.Expr:
    return exp.cast(exp.Literal.string(text), kind)


def _text(value: exp.Expr) -> exp.Expr:
    return exp.cast(value.copy(), "text")
