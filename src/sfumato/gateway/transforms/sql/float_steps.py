"""Steps over floating numbers, as SQL that rounds nowhere but where the definition does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast as typed

from sqlglot import exp

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import FloatGrid, digits_of
from sfumato.gateway.transforms.sql.building import (
    as_text,
    between,
    call,
    cast,
    chosen,
    constant,
    decimal,
    double,
    glued,
    text,
)
from sfumato.gateway.transforms.steps import Steps, decimal_text, joined

_STEP_DIGITS = 13
_TINY = 1e-200


@dataclass(frozen=True)
class FloatSteps:
    """The SQL of steps over a column of floating numbers.

    Step k begins at (k · width + start) / 10^digits, with whole numbers that floats hold exactly, so that the quotient
    is the float nearest to the limit. A division says which step it is, give or take one; comparing with the limits
    says which.
    """

    steps: Steps
    column_type: ColumnType
    engine: str

    def range_sql(self, value: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """The least and the largest value on the step of a value; NULL for a value that lies on none."""
        place = self._place(value)
        low, high = self._limit(place), self._before(self._limit(place + double(1)))
        return (
            chosen([(self._served(value), cast(low, self.column_type, self.engine))]),
            chosen([(self._served(value), cast(high, self.column_type, self.engine))]),
        )

    def shown_sql(self, low: exp.Expr, offsets: Sequence[Fraction]) -> exp.Expr:
        """The step with this least value in words."""
        place = exp.cast(exp.cast(self._place(low), "bigint"), f"decimal({_STEP_DIGITS}, 0)")
        digits = max(digits_of(self.steps.width, self.steps.start, *offsets), 0)
        step = place * self._decimal(self.steps.width, digits)
        first, *others = [as_text(step + self._decimal(self.steps.start + offset, digits)) for offset in offsets]
        negative = chosen([(low < double(0), text(joined(["", ""], True)))], text(joined(["", ""], False)))
        return chosen([(self._served(low), glued(first, *(part for other in others for part in (negative, other))))])

    def _decimal(self, number: Fraction, digits: int) -> exp.Expr:
        """Together with a step it has 38 digits at most, which is as many as decimals have on every engine."""
        return decimal(decimal_text(number, digits), 38 - _STEP_DIGITS, digits)

    def _served(self, value: exp.Expr) -> exp.Expr:
        """Whether it lies on some step; what is infinite, no number or missing does not."""
        grid, steps = typed(FloatGrid, self.steps.grid), self.steps
        least, above = grid.at(steps.limit(-steps.reach)), grid.at(steps.limit(steps.reach))
        ends = (constant(end, self.column_type, self.engine) for end in (least, grid.before(above)))
        return between(value, *ends)

    def _place(self, value: exp.Expr) -> exp.Expr:
        """Which step a value lies on.

        If limits are whole numbers, the value lies on the step of the whole number below it, and a quotient of whole
        numbers that floats hold exactly is rounded to the next whole number only if it is one.
        """
        width, start = self.steps.units
        if not self.steps.digits and not self.column_type.single:
            below = call("FLOOR", value)
            return call("FLOOR", (below - double(start) if start else below) / double(width))
        # PostgreSQL fails where a quotient is too small for a float.
        large = chosen([(between(value, double(-_TINY), double(_TINY)), double(0))], _wide(value))
        near = call("FLOOR", (_scaled(large, self.steps.digits) - double(start)) / double(width))
        here, above = (cast(self._limit(place), self.column_type, self.engine) for place in (near, near + double(1)))
        return near + chosen([(here > value, double(-1)), (above <= value, double(1))], double(0))

    def _limit(self, place: exp.Expr) -> exp.Expr:
        width, start = self.steps.units
        return _scaled(place * double(width) + double(start), -self.steps.digits)

    def _before(self, limit: exp.Expr) -> exp.Expr:
        """The neighbour below: less by between 5/8 and 5/4 of a last digit, which is rounded to one.

        The last digit is half to one part in 2^52 of a float, in 2^23 of one of 32 bits. Below zero is the smallest
        float, which added to anything else changes nothing.
        """
        single = typed(FloatGrid, self.steps.grid).single
        share, least = (0.625 * 2.0**-23, 2.0**-149) if single else (0.625 * 2.0**-52, 5e-324)
        here = _wide(cast(limit, self.column_type, self.engine)) if single else limit
        return here - exp.paren(call("ABS", here) * double(share) + double(least))


def _scaled(number: exp.Expr, digits: int) -> exp.Expr:
    """Times a power of ten; always a product or quotient with one that floats hold exactly."""
    if not digits:
        return number
    return number * double(10.0**digits) if digits > 0 else number / double(10.0**-digits)


def _wide(value: exp.Expr) -> exp.Expr:
    return exp.cast(value.copy(), "double")
