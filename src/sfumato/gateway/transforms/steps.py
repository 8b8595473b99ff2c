"""An axis cut into steps of one width, and the step that a number lies on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import WIDE, FloatGrid, Grid, WholeGrid, digits_of, grid_of

FAR = 10**100
"""Numbers without a last digit are hidden from here on; sums of longer ones could be too long for the engine."""

_FLOAT_STEPS = {False: 2**40, True: 2**22}
_EXACT = 2**52
_FLOAT_DIGITS = 12
_FLOAT_UNITS = 10**10


@dataclass(frozen=True)
class Steps:
    """Steps of a width, one of which begins at start, over the values of a grid.

    A number lies on the step that begins at or below it. Whole numbers and decimals lie on some step, whatever they
    are; the first and the last step end with the column. Floats that are further from zero than steps can be told apart
    exactly are on none, and neither is what is infinite or no number.
    """

    grid: Grid
    width: Fraction
    start: Fraction

    @classmethod
    def of(cls, column_type: ColumnType, width: Fraction, start: Fraction) -> Steps:
        """Steps for a column; start is moved to the first step that begins at or after zero."""
        return cls(grid_of(column_type), width, start % width)

    @cached_property
    def digits(self) -> int:
        """Digits after the point that limits have; less than none only where limits are huge."""
        digits = digits_of(self.width, self.start)
        return digits if digits > 0 or self.width >= _FLOAT_UNITS else 0

    @cached_property
    def units(self) -> tuple[int, int]:
        """Width and start, counted in units of the last digit of limits."""
        scale = Fraction(10) ** self.digits
        return int(self.width * scale), int(self.start * scale)

    @property
    def reach(self) -> int:
        """How many steps there are on either side, where not all numbers lie on one."""
        if isinstance(self.grid, FloatGrid):
            return min(_FLOAT_STEPS[self.grid.single], _EXACT // self.units[0])
        return int(FAR // self.width) + 1

    def objection(self) -> str | None:
        """Why such steps cannot be had on this grid; None if they can."""
        if isinstance(self.grid, WholeGrid):
            if any((number / self.grid.unit).denominator > 1 for number in (self.width, self.start)):
                return f"its values are multiples of {_plain(self.grid.unit)}, and limits must be too"
        elif isinstance(self.grid, FloatGrid):
            if abs(self.digits) > _FLOAT_DIGITS or self.units[0] >= _FLOAT_UNITS:
                return "of floating numbers limits must have at most nine digits, and not be tiny or huge"
        elif abs(self.digits) > 2 * _FLOAT_DIGITS:
            return "limits must not be tiny or huge"
        return None

    def limit(self, place: int) -> Fraction:
        """Where a step begins; step 0 is the first that begins at or after zero."""
        return self.start + place * self.width

    def place(self, value: Any) -> int:
        """The step that a number lies on, by limits as the grid has them."""
        place = (Fraction(value) - self.start) // self.width
        if isinstance(self.grid, WholeGrid):  # which has every limit
            return place
        while self.grid.at(self.limit(place + 1)) <= value:
            place += 1
        while self.grid.at(self.limit(place)) > value:
            place -= 1
        return place

    def around(self, value: Any) -> tuple[Any, Any] | None:
        """The least and the largest value on the step of a value; None if it lies on none."""
        if not self._serves(value):
            return None
        place = self.place(value)
        low, above = self.grid.at(self.limit(place)), self.grid.at(self.limit(place + 1))
        if isinstance(self.grid, WholeGrid):
            return self.grid.within(low), self.grid.within(self.grid.before(above))
        return low, self.grid.before(above)

    def _serves(self, value: Any) -> bool:
        if not self.grid.holds(value):
            return False
        ends = (self.grid.at(self.limit(place)) for place in (-self.reach, self.reach))
        return isinstance(self.grid, WholeGrid) or next(ends) <= value < next(ends)

    def written(self, low: Any, offsets: Sequence[Fraction]) -> str:
        """The step with this least value in words: its beginning moved by every offset."""
        begins = self.limit(self.place(low))
        digits = max(digits_of(self.width, self.start, *offsets), 0)
        return joined([decimal_text(begins + offset, digits) for offset in offsets], begins < 0)


def decimal_text(number: Fraction, digits: int) -> str:
    """A number with so many digits after the point.

    >>> decimal_text(Fraction(5, 2), 2), decimal_text(Fraction(-40), 0)
    ('2.50', '-40')
    """
    return f"{Decimal(int(number * 10**digits)).scaleb(-digits, WIDE):f}"


def joined(parts: Sequence[str], negative: bool) -> str:
    """`20-30`, or `-30 to -20` where a dash would be taken for a sign."""
    return (" to " if negative else "-").join(parts)


def _plain(number: Fraction) -> str:
    return decimal_text(number, max(digits_of(number), 0))
