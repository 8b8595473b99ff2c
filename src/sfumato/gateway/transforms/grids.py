"""Grids: which values a column can have, and so which value comes directly before another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil, inf, nextafter
from typing import Any

import numpy as np

from sfumato.gateway.transforms.column_types import ColumnType

WIDE = Context(prec=3000)
"""A decimal context with enough digits for every limit and every value that is not hidden."""


class Grid(ABC):
    """The values that a column of numbers can have, in order."""

    @abstractmethod
    def at(self, limit: Fraction) -> Any:
        """The value that represents a limit: a value lies below the limit exactly if it lies below this value."""

    @abstractmethod
    def before(self, value: Any) -> Any:
        """The next lower value; the value itself on a dense grid, where between any two values there is another."""

    def is_number(self, value: Any) -> bool:
        """Whether it is neither infinite nor NaN."""
        return bool(value == value and abs(value) != inf)  # noqa: PLR0124  # NaN differs from itself


@dataclass(frozen=True)
class WholeGrid(Grid):
    """Integers, or decimals of a fixed scale, from `least` to `most` units."""

    scale: int
    least: int
    most: int
    decimal: bool

    @property
    def unit(self) -> Fraction:
        """The distance between neighbours."""
        return Fraction(10) ** -self.scale

    def at(self, limit: Fraction) -> Any:
        """The first value that is not below the limit, ignoring the bounds of the column."""
        return self.value(ceil(limit / self.unit))

    def before(self, value: Any) -> Any:
        """One unit less."""
        return self.value(int(Fraction(value) / self.unit) - 1)

    def value(self, units: int) -> Any:
        """A number of units, as a value."""
        return Decimal(units).scaleb(-self.scale, WIDE) if self.decimal else units

    def clamped(self, value: Any) -> Any:
        """The value, or the bound of the column that it exceeds."""
        return min(max(value, self.value(self.least)), self.value(self.most))


@dataclass(frozen=True)
class FloatGrid(Grid):
    """Floating numbers of 64 or 32 bits; a limit such as `0.3` is the float nearest to it."""

    single: bool = False

    def at(self, limit: Fraction) -> float:
        """The nearest float."""
        near = float(limit)
        return float(np.float32(near)) if self.single else near

    def before(self, value: float) -> float:
        """The next lower float."""
        return float(np.nextafter(np.float32(value), np.float32(-inf))) if self.single else nextafter(value, -inf)


@dataclass(frozen=True)
class DenseGrid(Grid):
    """Decimals of any scale: between any two there is another one."""

    def at(self, limit: Fraction) -> Decimal:
        """The limit itself."""
        return WIDE.divide(Decimal(limit.numerator), Decimal(limit.denominator))

    def before(self, value: Decimal) -> Decimal:
        """The value itself: there is no highest value below it."""
        return value


def grid_of(column_type: ColumnType) -> Grid:
    """The grid of a column of numbers."""
    if column_type.kind == "float":
        return FloatGrid(column_type.single)
    ends = column_type.bounds
    if ends is None or column_type.scale is None:
        return DenseGrid()
    return WholeGrid(column_type.scale, *ends, decimal=column_type.kind == "decimal")


@lru_cache(maxsize=1000)
def exact_fraction(number: float) -> Fraction:
    """The number as it was written: one tenth for 0.1, and not the nearest binary fraction.

    >>> exact_fraction(0.1), exact_fraction(20000)
    (Fraction(1, 10), Fraction(20000, 1))
    """
    return Fraction(Decimal(repr(number)))


@lru_cache(maxsize=1000)
def decimal_places(*numbers: Fraction) -> int:
    """The decimal places that it takes to write all numbers; negative if they all end in zeros.

    >>> decimal_places(Fraction(1, 4), Fraction(1, 10)), decimal_places(Fraction(2000))
    (2, -3)
    """
    found = [number for number in numbers if number]
    digits = 0
    while any((number * 10**digits).denominator > 1 for number in found):
        digits += 1
    while found and digits <= 0 and all((number / 10 ** (1 - digits)).denominator == 1 for number in found):
        digits -= 1
    return digits
