"""Ratios of whole numbers against a setting, without rounding: a share of exactly 0.3 is never above a limit of 0.3."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDEST = 2**62
"""Whole numbers below this can be added and subtracted once in 64 bits."""

_SIMPLE = 10**6


@lru_cache(maxsize=256)
def as_meant(number: float) -> Fraction:
    """The fraction a setting stands for: the simple one that is stored as this number, else its written decimals.

    Neither 0.3 nor 1/3 is a binary number; whoever sets one means three tenths or a third.

    >>> as_meant(0.3), as_meant(1 / 3), as_meant(2)
    (Fraction(3, 10), Fraction(1, 3), Fraction(2, 1))
    """
    simple = Fraction(number).limit_denominator(_SIMPLE)
    return simple if float(simple) == number else Fraction(str(number))


def against(counts: NDArray[Any], totals: NDArray[Any], limit: float) -> NDArray[np.int8]:
    """Whether each counts / totals is below (-1), at (0) or above (1) the limit; nothing of nothing is at it.

    >>> against(np.array([1, 3, 4]), np.array([10, 10, 10]), 0.3).tolist()
    [-1, 0, 1]
    """
    meant = as_meant(limit)
    widest = max(
        int(counts.max(initial=0)) * meant.denominator,
        int(totals.max(initial=0)) * meant.numerator,
    )
    kind = np.int64 if widest < WIDEST else object
    gap = counts.astype(kind) * meant.denominator - totals.astype(kind) * meant.numerator
    sign: NDArray[np.int8] = (gap > 0).astype(np.int8) - (gap < 0).astype(np.int8)
    return sign
