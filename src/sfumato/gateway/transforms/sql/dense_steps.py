"""Steps over decimals of any length, as SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import digits_of
from sfumato.gateway.transforms.sql.building import as_text, call, cast, chosen, glued, number, text
from sfumato.gateway.transforms.steps import Steps, decimal_text, joined


@dataclass(frozen=True)
class DenseSteps:
    """The SQL of steps over a column of decimals without a last digit.

    Remainders of such decimals are exact. They keep as many digits as the value was written with, which would tell
    values on one step apart; rounding to the digits of limits changes no limit and takes these away.
    """

    steps: Steps
    column_type: ColumnType
    engine: str

    def range_sql(self, value: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """The least value on the step of a value, and where the step ends; NULL for a value that lies on none."""
        low = self._begin(value)
        return chosen([(self._served(value), low)]), chosen([(self._served(value), low + self._at(self.steps.width))])

    def shown_sql(self, low: exp.Expr, offsets: Sequence[Fraction]) -> exp.Expr:
        """The step with this least value in words."""
        digits = max(digits_of(self.steps.width, self.steps.start, *offsets), 0)
        first, *others = [
            as_text(call("ROUND", self._begin(low) + self._at(offset), number(digits))) for offset in offsets
        ]
        negative = chosen([(low < self._at(Fraction(0)), text(joined(["", ""], True)))], text(joined(["", ""], False)))
        return chosen([(self._served(low), glued(first, *(part for other in others for part in (negative, other))))])

    def _begin(self, value: exp.Expr) -> exp.Expr:
        width = self._at(self.steps.width)
        into = call("MOD", value - self._at(self.steps.start), width)
        below = chosen([(into < self._at(Fraction(0)), width)], self._at(Fraction(0)))
        return call("ROUND", value - into - below, number(max(self.steps.digits, 0)))

    def _served(self, value: exp.Expr) -> exp.Expr:
        """Whether it lies on some step; what is infinite, no number or missing does not."""
        reach = self.steps.reach
        least, above = self._at(self.steps.limit(-reach)), self._at(self.steps.limit(reach))
        return exp.and_(value >= least, value < above)

    def _at(self, limit: Fraction) -> exp.Expr:
        return cast(text(decimal_text(limit, max(digits_of(limit), 0))), self.column_type, self.engine)
