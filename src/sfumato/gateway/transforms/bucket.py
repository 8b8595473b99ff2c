"""Bucket: a number is shown as the bucket it lies in."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import exactly
from sfumato.gateway.transforms.steps import Steps
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, kw_only=True)
class Bucket(Transform):
    """Shows a number as the bucket of a given width it lies in: 35000 as 30000-40000.

    A bucket begins at `start`, and others before and after it; what a bucket ends with belongs to the next one. Both
    ends are given as values the column can have, so that the bucket of a whole number reaches from 30000 to 39999. In
    decimals without a limit of digits there is no value right before 40000, and 40000 itself is given.

    Whole numbers and decimals are all in some bucket; the first and the last one end where the column does. Floating
    numbers that are no numbers, infinite or more than 2^40 buckets (2^22 for those of 32 bits) from zero are hidden.

    >>> age = ColumnType.of_duckdb("INTEGER")
    >>> Bucket(width=10).weaker(48, age), Bucket(width=10).shown(40, age)
    ((40, 49), '40-50')
    >>> Bucket(width=10).weaker(-3, age), Bucket(width=10, start=5).weaker(48, age)
    ((-10, -1), (45, 54))

    References: Kabir (2010), tables 2.5 and 3.3.
    """

    makes = "range"
    for_kinds = frozenset({"integer", "decimal", "float"})

    width: float = param(doc="how wide a bucket is, in what the column counts", above=0)
    start: float = param(0, doc="where some bucket begins")

    def _objection(self, column_type: ColumnType) -> str | None:
        return self._steps(column_type).objection()

    def is_total(self, column_type: ColumnType) -> bool:
        """Whole numbers and decimals are all on some step; what is no number is on none."""
        return column_type.kind != "float" and column_type.scale is not None and not column_type.can_be_nan

    def weaker(self, value: Any, column_type: ColumnType) -> tuple[Any, Any] | None:
        """The least and the largest value of the bucket."""
        return None if value is None else self._steps(column_type).around(value)

    def range_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> tuple[exp.Expr, exp.Expr]:
        """The least and the largest value of the bucket."""
        from sfumato.gateway.transforms.sql.stepped import stepped

        return stepped(self._steps(column_type), column_type, engine).range_sql(value)

    def shown(self, low: Any, column_type: ColumnType) -> str:
        """Where the bucket begins and where the next one does."""
        return self._steps(column_type).written(low, self._offsets)

    def shown_sql(self, low: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """Where the bucket begins and where the next one does."""
        from sfumato.gateway.transforms.sql.stepped import stepped

        return stepped(self._steps(column_type), column_type, engine).shown_sql(low, self._offsets)

    @property
    def _offsets(self) -> tuple[Fraction, ...]:
        return Fraction(0), exactly(self.width)

    def _steps(self, column_type: ColumnType) -> Steps:
        return Steps.of(column_type, exactly(self.width), exactly(self.start))
