"""Steps over floating numbers, as SQL that rounds nowhere but where the definition does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast as typed

from sqlglot import exp

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import FloatGrid, decimal_places
from sfumato.gateway.transforms.sql.building import (
    as_text,
    between,
    call,
    case_when,
    cast,
    concatenated,
    constant,
    decimal,
    double,
    text,
)
from sfumato.gateway.transforms.steps import Steps, decimal_text, join_bounds

_STEP_DIGITS = 13
"""The number of digits of the index of a step."""

_TINY = 1e-200
"""Numbers smaller than this count as 0 in a division."""


@dataclass(frozen=True)
class FloatSteps:
    """The SQL of steps over a column of floating numbers.

    Step k begins at (k · width + start) / 10^digits, with integers that floats hold exactly, so that the quotient is
    the float nearest to the limit. A division gives the index of the step up to an error of one; a comparison with the
    limits corrects it.
    """

    steps: Steps
    column_type: ColumnType
    engine: str

    def range_sql(self, value: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """The lowest and the highest value on the step of a value; NULL for a value that lies on none."""
        index = self._step_index(value)
        low, high = self._limit(index), self._before(self._limit(index + double(1)))
        return (
            case_when([(self._is_on_step(value), cast(low, self.column_type, self.engine))]),
            case_when([(self._is_on_step(value), cast(high, self.column_type, self.engine))]),
        )

    def shown_sql(self, low: exp.Expr, offsets: Sequence[Fraction]) -> exp.Expr:
        """The step with this lowest value in words."""
        index = exp.cast(exp.cast(self._step_index(low), "bigint"), f"decimal({_STEP_DIGITS}, 0)")
        digits = max(decimal_places(self.steps.width, self.steps.start, *offsets), 0)
        step = index * self._decimal(self.steps.width, digits)
        first, *others = [as_text(step + self._decimal(self.steps.start + offset, digits)) for offset in offsets]
        negative = case_when([(low < double(0), text(join_bounds(["", ""], True)))], text(join_bounds(["", ""], False)))
        return case_when(
            [(self._is_on_step(low), concatenated(first, *(part for other in others for part in (negative, other))))]
        )

    def _decimal(self, number: Fraction, digits: int) -> exp.Expr:
        """A decimal constant; together with the index it has 38 digits at most, which every engine supports."""
        return decimal(decimal_text(number, digits), 38 - _STEP_DIGITS, digits)

    def _is_on_step(self, value: exp.Expr) -> exp.Expr:
        """Whether it lies on a step; infinity, NaN and NULL do not."""
        grid, steps = typed(FloatGrid, self.steps.grid), self.steps
        least, above = grid.at(steps.limit(-steps.reach)), grid.at(steps.limit(steps.reach))
        ends = (constant(end, self.column_type, self.engine) for end in (least, grid.before(above)))
        return between(value, *ends)

    def _step_index(self, value: exp.Expr) -> exp.Expr:
        """The index of the step of a value.

        If limits are integers, a value lies on the step of the integer below it, and a quotient of integers that floats
        hold exactly is rounded to an integer only if it is one. Then no correction is needed.
        """
        width, start = self.steps.units
        if not self.steps.digits and not self.column_type.single:
            below = call("FLOOR", value)
            return call("FLOOR", (below - double(start) if start else below) / double(width))
        # PostgreSQL fails if a quotient underflows.
        large = case_when([(between(value, double(-_TINY), double(_TINY)), double(0))], _as_double(value))
        near = call("FLOOR", (_scaled(large, self.steps.digits) - double(start)) / double(width))
        here, above = (cast(self._limit(index), self.column_type, self.engine) for index in (near, near + double(1)))
        return near + case_when([(here > value, double(-1)), (above <= value, double(1))], double(0))

    def _limit(self, index: exp.Expr) -> exp.Expr:
        """Where the step with this index begins."""
        width, start = self.steps.units
        return _scaled(index * double(width) + double(start), -self.steps.digits)

    def _before(self, limit: exp.Expr) -> exp.Expr:
        """The next lower float: the limit minus between 5/8 and 5/4 of a unit in the last place, rounded to one unit.

        The last place is 1/2 to 1 part in 2^52 of a double, and in 2^23 of a single float. For 0 the smallest float is
        subtracted, which changes no other number.
        """
        single = typed(FloatGrid, self.steps.grid).single
        share, least = (0.625 * 2.0**-23, 2.0**-149) if single else (0.625 * 2.0**-52, 5e-324)
        here = _as_double(cast(limit, self.column_type, self.engine)) if single else limit
        return here - exp.paren(call("ABS", here) * double(share) + double(least))


def _scaled(number: exp.Expr, digits: int) -> exp.Expr:
    """The number times a power of ten, by one product or quotient with a power that floats hold exactly."""
    if not digits:
        return number
    return number * double(10.0**digits) if digits > 0 else number / double(10.0**-digits)


def _as_double(value: exp.Expr) -> exp.Expr:
    return exp.cast(value.copy(), "double")
