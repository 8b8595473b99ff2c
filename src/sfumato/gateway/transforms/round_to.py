"""Rounding: a number is shown as the nearest multiple of a step."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import WholeGrid, exactly, grid_of
from sfumato.gateway.transforms.steps import Steps
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, kw_only=True)
class RoundTo(Transform):
    """Shows a number as the nearest multiple of a step: 23400 as 23000, which may be anything from 22500 to 23499.

    Of two multiples that are equally near it is the larger one. Which numbers are hidden is as with buckets.

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
        """Whole numbers and decimals are all on some step; what is no number is on none."""
        return column_type.kind != "float" and column_type.scale is not None and not column_type.can_be_nan

    def weaker(self, value: Any, column_type: ColumnType) -> tuple[Any, Any] | None:
        """The least and the largest value that are rounded to the same."""
        return None if value is None else self._steps(column_type).around(value)

    def range_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> tuple[exp.Expr, exp.Expr]:
        """The least and the largest value that are rounded to the same."""
        from sfumato.gateway.transforms.sql.stepped import stepped

        return stepped(self._steps(column_type), column_type, engine).range_sql(value)

    def shown(self, low: Any, column_type: ColumnType) -> str:
        """The rounded number."""
        return self._steps(column_type).written(low, (self._half(column_type),))

    def shown_sql(self, low: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """The rounded number."""
        from sfumato.gateway.transforms.sql.stepped import stepped

        return stepped(self._steps(column_type), column_type, engine).shown_sql(low, (self._half(column_type),))

    def _half(self, column_type: ColumnType) -> Fraction:
        """How far below a multiple numbers are rounded up to it: half a step, or a bit less where that is no value."""
        half, grid = exactly(self.step) / 2, grid_of(column_type)
        return half // grid.unit * grid.unit if isinstance(grid, WholeGrid) else half

    def _steps(self, column_type: ColumnType) -> Steps:
        return Steps.of(column_type, exactly(self.step), -self._half(column_type))
