"""Which values a column can have at all, and so which one comes right before another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from math import ceil, inf, nextafter
from typing import Any

import numpy as np

from sfumato.gateway.transforms.column_types import ColumnType

WIDE = Context(prec=3000)
"""Digits enough for every limit and every value that is not hidden."""


class Grid(ABC):
    """The values that a column of numbers can have, in order."""

    @abstractmethod
    def at(self, limit: Fraction) -> Any:
        """The value that stands for a limit: what is below the limit is below this value, and the other way round."""

    @abstractmethod
    def before(self, value: Any) -> Any:
        """The largest value below one; the value itself where there is none, because there is always one between."""

    def holds(self, value: Any) -> bool:
        """Whether it is a number at all."""
        return bool(value == value and abs(value) != inf)  # noqa: PLR0124  # not so where it is no number


@dataclass(frozen=True)
class WholeGrid(Grid):
    """Whole numbers, or decimals with a fixed number of digits after the point, from least to most."""

    scale: int
    least: int
    most: int
    decimal: bool

    @property
    def unit(self) -> Fraction:
        """The distance of neighbours."""
        return Fraction(10) ** -self.scale

    def at(self, limit: Fraction) -> Any:
        """The first value that is not below the limit, as if there were no ends."""
        return self.value(ceil(limit / self.unit))

    def before(self, value: Any) -> Any:
        """One unit less."""
        return self.value(int(Fraction(value) / self.unit) - 1)

    def value(self, units: int) -> Any:
        """So many units, as a value."""
        return Decimal(units).scaleb(-self.scale, WIDE) if self.decimal else units

    def within(self, value: Any) -> Any:
        """The value, or the end of the column that it lies beyond."""
        return min(max(value, self.value(self.least)), self.value(self.most))


@dataclass(frozen=True)
class FloatGrid(Grid):
    """Floating numbers of 64 or 32 bits; a limit is the number that a reader of `0.3` gets."""

    single: bool = False

    def at(self, limit: Fraction) -> float:
        """The nearest number."""
        near = float(limit)
        return float(np.float32(near)) if self.single else near

    def before(self, value: float) -> float:
        """The neighbour below."""
        return float(np.nextafter(np.float32(value), np.float32(-inf))) if self.single else nextafter(value, -inf)


@dataclass(frozen=True)
class DenseGrid(Grid):
    """Decimals of any length: between two of them there is always another one."""

    def at(self, limit: Fraction) -> Decimal:
        """The limit itself."""
        return WIDE.divide(Decimal(limit.numerator), Decimal(limit.denominator))

    def before(self, value: Decimal) -> Decimal:
        """The value itself, which is too large by nothing that can be named."""
        return value


def grid_of(column_type: ColumnType) -> Grid:
    """The grid of a column of numbers."""
    if column_type.kind == "float":
        return FloatGrid(column_type.single)
    ends = column_type.bounds
    if ends is None or column_type.scale is None:
        return DenseGrid()
    return WholeGrid(column_type.scale, *ends, decimal=column_type.kind == "decimal")


def exactly(number: float) -> Fraction:
    """The number as it was written: one tenth for 0.1, and not the nearest sum of powers of two.

    >>> exactly(0.1), exactly(20000)
    (Fraction(1, 10), Fraction(20000, 1))
    """
    return Fraction(Decimal(repr(number)))


def digits_of(*numbers: Fraction) -> int:
    """How many digits after the point it takes to write all of them; negative if they all end in zeros.

    >>> digits_of(Fraction(1, 4), Fraction(1, 10)), digits_of(Fraction(2000))
    (2, -3)
    """
    found = [number for number in numbers if number]
    digits = 0
    while any((number * 10**digits).denominator > 1 for number in found):
        digits += 1
    while found and digits <= 0 and all((number / 10 ** (1 - digits)).denominator == 1 for number in found):
        digits -= 1
    return digits
