"""The base of transforms that show a number as the step of equal width in which it lies: `Bucket` and `RoundTo`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.steps import Steps

if TYPE_CHECKING:
    from sqlglot import exp


class StepTransform(Transform):
    """A number becomes the lowest and the highest value of its step; an author writes `_steps` and `_label_offsets`."""

    makes = "range"
    for_kinds = frozenset({"integer", "decimal", "float"})

    @abstractmethod
    def _steps(self, column_type: ColumnType) -> Steps:
        """The steps into which the values of a column are divided."""

    @abstractmethod
    def _label_offsets(self, column_type: ColumnType) -> Sequence[Fraction]:
        """The numbers in the label of a step, relative to its beginning."""

    def _objection(self, column_type: ColumnType) -> str | None:
        return self._steps(column_type).objection()

    def is_total(self, column_type: ColumnType) -> bool:
        """Every integer and every decimal of fixed scale lies in a step; NaN lies in none."""
        return column_type.kind != "float" and column_type.scale is not None and not column_type.can_be_nan

    def weaker(self, value: Any, column_type: ColumnType) -> tuple[Any, Any] | None:
        """The lowest and the highest value of the step."""
        return None if value is None else self._steps(column_type).range_of(value)

    def range_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> tuple[exp.Expr, exp.Expr]:
        """The lowest and the highest value of the step."""
        from sfumato.gateway.transforms.sql.any_steps import sql_steps

        return sql_steps(self._steps(column_type), column_type, engine).range_sql(value)

    def shown(self, low: Any, column_type: ColumnType) -> str:
        """The label of the step that begins with `low`."""
        return self._steps(column_type).label(low, self._label_offsets(column_type))

    def shown_sql(self, low: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """The label of the step that begins with `low`."""
        from sfumato.gateway.transforms.sql.any_steps import sql_steps

        return sql_steps(self._steps(column_type), column_type, engine).shown_sql(low, self._label_offsets(column_type))
