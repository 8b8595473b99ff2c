"""Steps over decimals without a fixed scale, as SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import decimal_places
from sfumato.gateway.transforms.sql.building import as_text, call, case_when, cast, concatenated, number, text
from sfumato.gateway.transforms.steps import Steps, decimal_text, join_bounds


@dataclass(frozen=True)
class DenseSteps:
    """The SQL of steps over a column of decimals without a fixed scale.

    Remainders of such decimals are exact. They keep the scale in which the value was stored, which would distinguish
    values on one step; rounding to the decimal places of the limits changes no limit and removes the difference.
    """

    steps: Steps
    column_type: ColumnType
    engine: str

    def range_sql(self, value: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """The lowest value on the step of a value, and where the step ends; NULL for a value that lies on none."""
        low = self._begin(value)
        return case_when([(self._is_on_step(value), low)]), case_when(
            [(self._is_on_step(value), low + self._at(self.steps.width))]
        )

    def shown_sql(self, low: exp.Expr, offsets: Sequence[Fraction]) -> exp.Expr:
        """The step with this lowest value in words."""
        digits = max(decimal_places(self.steps.width, self.steps.start, *offsets), 0)
        first, *others = [
            as_text(call("ROUND", self._begin(low) + self._at(offset), number(digits))) for offset in offsets
        ]
        negative = case_when(
            [(low < self._at(Fraction(0)), text(join_bounds(["", ""], True)))], text(join_bounds(["", ""], False))
        )
        return case_when(
            [(self._is_on_step(low), concatenated(first, *(part for other in others for part in (negative, other))))]
        )

    def _begin(self, value: exp.Expr) -> exp.Expr:
        """Where the step of a value begins."""
        width = self._at(self.steps.width)
        into = call("MOD", value - self._at(self.steps.start), width)
        below = case_when([(into < self._at(Fraction(0)), width)], self._at(Fraction(0)))
        return call("ROUND", value - into - below, number(max(self.steps.digits, 0)))

    def _is_on_step(self, value: exp.Expr) -> exp.Expr:
        """Whether it lies on a step; infinity, NaN and NULL do not."""
        reach = self.steps.reach
        least, above = self._at(self.steps.limit(-reach)), self._at(self.steps.limit(reach))
        return exp.and_(value >= least, value < above)

    def _at(self, limit: Fraction) -> exp.Expr:
        """A limit as a constant."""
        return cast(text(decimal_text(limit, max(decimal_places(limit), 0))), self.column_type, self.engine)
