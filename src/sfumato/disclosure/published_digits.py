"""How many digits a number has that is computed from original values and written for others.

With all digits, somebody who knows every value but one could try values until the numbers agree. So certificates and
reports show three significant digits of such numbers. Numbers that a reader can compute from the published file itself,
such as the size of its smallest group, stay exact.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from math import isfinite
from typing import Literal, TypeVar

from sfumato.data.table import Table

DIGITS = 3
"""Significant digits of a number that is computed from original values."""

Number = TypeVar("Number", int, float)


def rounded(number: Number) -> Number:
    """A number with three significant digits.

    >>> rounded(0.137245), rounded(12345), rounded(float("inf"))
    (0.137, 12300, inf)
    """
    return _rounded(number, ROUND_HALF_EVEN)


def rounded_up(number: Number) -> Number:
    """The least number with three significant digits that is not below the given one.

    >>> rounded_up(0.137245), rounded_up(0.2), rounded_up(0.1 + 0.2)
    (0.138, 0.2, 0.3)
    """
    return _rounded(number, ROUND_CEILING)


def rounded_down(number: Number) -> Number:
    """The largest number with three significant digits that is not above the given one.

    >>> rounded_down(2.7182), rounded_down(1239)
    (2.71, 1230)
    """
    return _rounded(number, ROUND_FLOOR)


def rounded_level(level: float, *, required: float, better: Literal["higher", "lower"], holds: bool) -> float:
    """The level of a model with three significant digits, rounded to the side that is less safe.

    It does not contradict the verdict: if the model holds, the rounded level is at worst the required one.

    >>> rounded_level(0.5664, required=0.6, better="lower", holds=True)
    0.567
    >>> rounded_level(0.12346, required=0.1235, better="lower", holds=True)
    0.1235
    """
    # Rounding to the unsafe side may pass the required level,
    # although the model holds; the required level is the limit then.
    way, worse_of = (ROUND_CEILING, min) if better == "lower" else (ROUND_FLOOR, max)
    if holds:
        return worse_of(_rounded(level, way), required)
    return _rounded(level, way, reliable=17)


def file_shows_levels(original: Table) -> bool:
    """Whether a reader of the published file can compute the levels of models.

    That is not so if the person key is left out, or if a model reads a column that it derives from original values.
    """
    schema = original.schema
    hides_persons = bool(schema.person) and not schema.column(schema.person).pseudonym
    derived = set(original.codes) - {column.name for column in schema.columns}
    return not (hides_persons or derived)


def _rounded(number: Number, way: str, *, reliable: int = 12) -> Number:
    """Round to `DIGITS`, but first to the reliable digits: floating point may add something behind them."""
    if not isfinite(number):
        return number
    plain = Decimal(number) if isinstance(number, int) else Decimal(f"{number:.{reliable}g}")
    return type(number)(Context(prec=DIGITS, rounding=way).plus(plain))
