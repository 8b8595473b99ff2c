"""Divides the values of a column into steps of one width, and finds the step of a number.

`bucket` and `round_to` are defined by steps; `transforms.sql` writes the same as SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import WIDE, FloatGrid, Grid, WholeGrid, decimal_places, grid_of

DENSE_LIMIT = 10**100
"""Decimals without a fixed scale are hidden from here on; sums of longer ones could be too long for the engine."""

_MAX_FLOAT_STEPS = {False: 2**40, True: 2**22}
"""The number of steps on either side of zero, for double and for single precision."""

_EXACT_INTEGERS = 2**52
"""Up to this number a double holds every integer exactly."""

_MAX_FLOAT_DIGITS = 12
_MAX_FLOAT_UNITS = 10**10


@dataclass(frozen=True)
class Steps:
    """Steps of one width over the values of a grid; one of them begins at `start`.

    A number lies on the step that begins at or below it. Every integer and every decimal of fixed scale lies on a step;
    the first and the last step end with the column type. Floats so far from zero that steps cannot be distinguished
    exactly lie on none, and neither do infinity and NaN.
    """

    grid: Grid
    width: Fraction
    start: Fraction

    @classmethod
    def of(cls, column_type: ColumnType, width: Fraction, start: Fraction) -> Steps:
        """Steps for a column type; `start` is moved to the first step that begins at or after zero."""
        return cls(grid_of(column_type), width, start % width)

    @cached_property
    def digits(self) -> int:
        """The decimal places of the limits; negative only if the limits are huge."""
        digits = decimal_places(self.width, self.start)
        return digits if digits > 0 or self.width >= _MAX_FLOAT_UNITS else 0

    @cached_property
    def units(self) -> tuple[int, int]:
        """Width and start, in units of the last decimal place of the limits."""
        scale = Fraction(10) ** self.digits
        return int(self.width * scale), int(self.start * scale)

    @property
    def reach(self) -> int:
        """The number of steps on either side of zero, for grids on which not every number lies on a step."""
        if isinstance(self.grid, FloatGrid):
            return min(_MAX_FLOAT_STEPS[self.grid.single], _EXACT_INTEGERS // self.units[0])
        return int(DENSE_LIMIT // self.width) + 1

    def objection(self) -> str | None:
        """Why such steps are impossible on this grid; None if they are possible."""
        if isinstance(self.grid, WholeGrid):
            if any((number / self.grid.unit).denominator > 1 for number in (self.width, self.start)):
                return f"its values are multiples of {_number_text(self.grid.unit)}, and limits must be too"
        elif isinstance(self.grid, FloatGrid):
            if abs(self.digits) > _MAX_FLOAT_DIGITS or self.units[0] >= _MAX_FLOAT_UNITS:
                return "of floating numbers limits must have at most nine digits, and not be tiny or huge"
        elif abs(self.digits) > 2 * _MAX_FLOAT_DIGITS:
            return "limits must not be tiny or huge"
        return None

    def limit(self, index: int) -> Fraction:
        """Where a step begins; step 0 is the first that begins at or after zero."""
        return self.start + index * self.width

    def index(self, value: Any) -> int:
        """The index of the step of a number, by the limits as the grid can represent them.

        The quotient may be off by one where the grid rounds a limit, so it is corrected by comparison.
        """
        index = (Fraction(value) - self.start) // self.width
        if isinstance(self.grid, WholeGrid):  # every limit is a value of the grid
            return index
        while self.grid.at(self.limit(index + 1)) <= value:
            index += 1
        while self.grid.at(self.limit(index)) > value:
            index -= 1
        return index

    def range_of(self, value: Any) -> tuple[Any, Any] | None:
        """The lowest and the highest value on the step of a value; None if it lies on none."""
        if not self._covers(value):
            return None
        index = self.index(value)
        low, above = self.grid.at(self.limit(index)), self.grid.at(self.limit(index + 1))
        if isinstance(self.grid, WholeGrid):
            return self.grid.clamped(low), self.grid.clamped(self.grid.before(above))
        return low, self.grid.before(above)

    def _covers(self, value: Any) -> bool:
        """Whether the value lies on a step."""
        if not self.grid.is_number(value):
            return False
        ends = (self.grid.at(self.limit(index)) for index in (-self.reach, self.reach))
        return isinstance(self.grid, WholeGrid) or next(ends) <= value < next(ends)

    def label(self, low: Any, offsets: Sequence[Fraction]) -> str:
        """The step with this lowest value in words: its beginning plus every offset."""
        begins = self.limit(self.index(low))
        digits = max(decimal_places(self.width, self.start, *offsets), 0)
        return join_bounds([decimal_text(begins + offset, digits) for offset in offsets], begins < 0)


def decimal_text(number: Fraction, digits: int) -> str:
    """A number with this many decimal places.

    >>> decimal_text(Fraction(5, 2), 2), decimal_text(Fraction(-40), 0)
    ('2.50', '-40')
    """
    return f"{Decimal(int(number * 10**digits)).scaleb(-digits, WIDE):f}"


def join_bounds(parts: Sequence[str], negative: bool) -> str:
    """`20-30`, or `-30 to -20` where a dash would look like a sign."""
    return (" to " if negative else "-").join(parts)


def _number_text(number: Fraction) -> str:
    return decimal_text(number, max(decimal_places(number), 0))
