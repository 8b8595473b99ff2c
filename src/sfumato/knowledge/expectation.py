"""Expectation: the probability that a value occurs among some records if it is independent of their other values.

The rule search uses it to decide whether the absence of a value is surprising enough for a rule.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.exact_ratios import as_meant

Numbers = NDArray[np.float64]

_NEAR = 1e-9
"""Bounds that are this near to a whole number are computed again in exact arithmetic."""
_DIGITS = 60
"""Decimal digits of that arithmetic."""
_SAME = Decimal(10) ** -40
"""A bound this near to a whole number is that number: bounds that are not whole differ from one by more."""


def expectation(supports: Numbers, shares: Numbers) -> Numbers:
    """The probability that at least one of `supports` records has a value whose share of all records is `shares`.

    >>> expectation(np.array([6.0]), np.array([2 / 9])).round(4).tolist()
    [0.7786]
    """
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(supports * np.log1p(-shares)), dtype=np.float64)


def needed_support(counts: NDArray[np.int64], min_expectation: float) -> Numbers:
    """How many records without a value make its absence surprising; infinity for a value that no record has.

    `counts` says how many records have each value. A bound that is a whole number is met by exactly that many records.

    >>> needed_support(np.array([3, 2, 1, 3]), 0.75).round(3).tolist()
    [3.419, 5.516, 11.77, 3.419]
    >>> needed_support(np.array([1, 1]), 0.75).tolist()
    [2.0, 2.0]
    """
    records, sought = int(counts.sum()), float(1 - as_meant(min_expectation))
    with np.errstate(divide="ignore"):
        needed = np.log(sought) / np.log1p(-counts / max(records, 1)) + 0.0
    needed[counts == 0], needed[counts == records] = np.inf, 0.0
    # Supports are whole numbers, so rounding matters only where the bound
    # is nearly whole: one ulp too much would demand one record more.
    places = np.flatnonzero((counts > 0) & (counts < records))
    near = np.abs(needed[places] - np.rint(needed[places])) <= _NEAR * np.maximum(needed[places], 1)
    for place in places[near].tolist():
        needed[place] = _exactly(int(counts[place]), records, min_expectation)
    return np.asarray(needed, dtype=np.float64)


def _exactly(count: int, records: int, min_expectation: float) -> float:
    """The bound near a whole number, in exact arithmetic: that number if it is equal, else a float on the same side."""
    with localcontext() as context:
        context.prec = _DIGITS
        bound = _log(1 - as_meant(min_expectation)) / _log(1 - Fraction(count, records))
        whole = bound.to_integral_value()
        if abs(bound - whole) < _SAME:
            return float(whole)
        # A bound just above a whole number may become that number as a float; the next float keeps it above.
        return float(np.nextafter(float(whole), np.inf)) if bound > whole == Decimal(float(bound)) else float(bound)


def _log(number: Fraction) -> Decimal:
    return (Decimal(number.numerator) / Decimal(number.denominator)).ln()
