"""The flat relation for tools that know nothing of weaker values: no column is called as if it were exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.written import as_written

if TYPE_CHECKING:
    from sfumato.gateway.transforms.column_types import ColumnType

ENDINGS = ("lo", "hi", "exact")
HIDDEN = ".hidden"
"""How a flag ends that says whether a value is hidden; it is left out, because it says what somebody chose."""


def flat_select(
    columns: Sequence[str],
    source: exp.Table,
    shown: Mapping[str, exp.Expression] | None = None,
    types: Mapping[str, ColumnType] | None = None,
) -> exp.Select:
    """A masked relation under names that any tool can write.

    A range `income` becomes income_lo, income_hi, income_exact (whether the two are the same) and income_shown, a text
    to read; `shown` may say how a weaker value of a column is written, in terms of `"income.lo"` and `"income.hi"`, and
    `types` of which type columns are, so that the text is the same in every session. A weaker text `name` becomes
    name_shown and name_exact.

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
        for name, value in _parts(column, set(kept), shown or {}, types or {}):
            if name in made:
                raise PolicyError(
                    f"the flat relation of {source.name!r} would have two columns {name!r}; rename the column of the "
                    "table, or deploy without logins for tools."
                )
            made[name] = value
    return exp.select(*[exp.alias_(value, name, quoted=True) for name, value in made.items()]).from_(source)


def _parts(
    column: str, columns: set[str], shown: Mapping[str, exp.Expression], types: Mapping[str, ColumnType]
) -> list[tuple[str, exp.Expr]]:
    name, _, ending = column.rpartition(".")
    if ending == "hi" and f"{name}.lo" in columns:
        same = exp.EQ(this=_column(f"{name}.lo"), expression=_column(column))
        text = _written(name, shown.get(name), types.get(name))
        return [(f"{name}_hi", _column(column)), (f"{name}_exact", same), (f"{name}_shown", text)]
    if name and ending in ENDINGS:
        return [(f"{name}_{ending}", _column(column))]
    return [(f"{column}_shown" if f"{column}.exact" in columns else column, _column(column))]


def _written(name: str, weaker: exp.Expression | None, held: ColumnType | None) -> exp.Expr:
    lo, hi = _column(f"{name}.lo"), _column(f"{name}.hi")
    least: exp.Expr = as_written(lo, held)
    if weaker is None:
        dashed = exp.DPipe(this=least.copy(), expression=exp.Literal.string("-"))
        weaker = exp.DPipe(this=dashed, expression=as_written(hi, held))
    return exp.case().when(exp.EQ(this=lo, expression=hi), least).else_(weaker.copy())


def _column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)
