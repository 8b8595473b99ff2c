"""Bucket: a number is shown as the bucket it lies in."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import exact_fraction
from sfumato.gateway.transforms.steps import Steps
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, kw_only=True)
class Bucket(Transform):
    """Shows a number as the bucket of a given width it lies in: 35000 as 30000-40000.

    A bucket begins at `start`, with others before and after it; the upper limit of a bucket belongs to the next one.
    Both bounds are values that the column can have, so that the bucket of an integer reaches from 30000 to 39999.
    Between decimals without a fixed scale there is no value directly before 40000, and the upper bound is 40000 itself.

    Every integer and every decimal of fixed scale lies in a bucket; the first and the last bucket end with the column
    type. Floating numbers that are NaN, infinite or more than 2^40 buckets (2^22 for those of 32 bits) from zero are
    hidden.

    >>> age = ColumnType.of_duckdb("INTEGER")
    >>> Bucket(width=10).weaker(48, age), Bucket(width=10).shown(40, age)
    ((40, 49), '40-50')
    >>> Bucket(width=10).weaker(-3, age), Bucket(width=10, start=5).weaker(48, age)
    ((-10, -1), (45, 54))

    References: Kabir (2010), tables 2.5 and 3.3.
    """

    makes = "range"
    for_kinds = frozenset({"integer", "decimal", "float"})

    width: float = param(doc="the width of a bucket, in the unit of the column", above=0)
    start: float = param(0, doc="where one of the buckets begins")

    def _objection(self, column_type: ColumnType) -> str | None:
        return self._steps(column_type).objection()

    def is_total(self, column_type: ColumnType) -> bool:
        """Every integer and every decimal of fixed scale has a bucket; NaN has none."""
        return column_type.kind != "float" and column_type.scale is not None and not column_type.can_be_nan

    def weaker(self, value: Any, column_type: ColumnType) -> tuple[Any, Any] | None:
        """The lowest and the highest value of the bucket."""
        return None if value is None else self._steps(column_type).range_of(value)

    def range_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> tuple[exp.Expr, exp.Expr]:
        """The lowest and the highest value of the bucket."""
        from sfumato.gateway.transforms.sql.any_steps import sql_steps

        return sql_steps(self._steps(column_type), column_type, engine).range_sql(value)

    def shown(self, low: Any, column_type: ColumnType) -> str:
        """Where the bucket begins and where the next one begins."""
        return self._steps(column_type).label(low, self._offsets)

    def shown_sql(self, low: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """Where the bucket begins and where the next one begins."""
        from sfumato.gateway.transforms.sql.any_steps import sql_steps

        return sql_steps(self._steps(column_type), column_type, engine).shown_sql(low, self._offsets)

    @property
    def _offsets(self) -> tuple[Fraction, ...]:
        """The beginning of the bucket and that of the next one, relative to the former."""
        return Fraction(0), exact_fraction(self.width)

    def _steps(self, column_type: ColumnType) -> Steps:
        return Steps.of(column_type, exact_fraction(self.width), exact_fraction(self.start))
