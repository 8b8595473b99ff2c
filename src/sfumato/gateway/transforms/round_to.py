"""RoundTo: a number is shown as the nearest multiple of a step."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import WholeGrid, exact_fraction, grid_of
from sfumato.gateway.transforms.steps import Steps
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, kw_only=True)
class RoundTo(Transform):
    """Shows a number as the nearest multiple of a step: 23400 as 23000, which may be anything from 22500 to 23499.

    Of two equally near multiples it is the larger one. The same numbers are hidden as with buckets.

    >>> pay = ColumnType.of_duckdb("INTEGER")
    >>> RoundTo(step=1000).weaker(23400, pay), RoundTo(step=1000).shown(22500, pay)
    ((22500, 23499), '23000')
    >>> RoundTo(step=5).weaker(7, pay), RoundTo(step=5).weaker(8, pay)
    ((3, 7), (8, 12))
    """

    makes = "range"
    for_kinds = frozenset({"integer", "decimal", "float"})

    step: float = param(doc="what numbers are rounded to multiples of", above=0)

    def _objection(self, column_type: ColumnType) -> str | None:
        return self._steps(column_type).objection()

    def is_total(self, column_type: ColumnType) -> bool:
        """Every integer and every decimal of fixed scale can be rounded; NaN cannot."""
        return column_type.kind != "float" and column_type.scale is not None and not column_type.can_be_nan

    def weaker(self, value: Any, column_type: ColumnType) -> tuple[Any, Any] | None:
        """The lowest and the highest value that are rounded to the same number."""
        return None if value is None else self._steps(column_type).range_of(value)

    def range_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> tuple[exp.Expr, exp.Expr]:
        """The lowest and the highest value that are rounded to the same number."""
        from sfumato.gateway.transforms.sql.any_steps import sql_steps

        return sql_steps(self._steps(column_type), column_type, engine).range_sql(value)

    def shown(self, low: Any, column_type: ColumnType) -> str:
        """The rounded number."""
        return self._steps(column_type).label(low, (self._half(column_type),))

    def shown_sql(self, low: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """The rounded number."""
        from sfumato.gateway.transforms.sql.any_steps import sql_steps

        return sql_steps(self._steps(column_type), column_type, engine).shown_sql(low, (self._half(column_type),))

    def _half(self, column_type: ColumnType) -> Fraction:
        """The distance below a multiple from which numbers are rounded up to it: half a step, down to the grid."""
        half, grid = exact_fraction(self.step) / 2, grid_of(column_type)
        return half // grid.unit * grid.unit if isinstance(grid, WholeGrid) else half

    def _steps(self, column_type: ColumnType) -> Steps:
        return Steps.of(column_type, exact_fraction(self.step), -self._half(column_type))
