"""Exact comparison of ratios of whole numbers with a setting: a share of exactly 0.3 is never above a limit of 0.3.

Models with a limit on a share, a ratio or a distance use it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[Any]
"""Whole numbers: 64-bit if they fit, otherwise Python integers."""

WIDEST = 2**62
"""Sums and differences of two whole numbers below this fit into 64 bits."""

_SIMPLE = 10**6
"""Largest denominator of a simple fraction."""


@lru_cache(maxsize=256)
def as_meant(number: float) -> Fraction:
    """The fraction that a setting stands for: a simple fraction that rounds to the same float, or its written decimals.

    Neither 0.3 nor 1/3 is exact in binary; a setting of 0.3 means three tenths.

    >>> as_meant(0.3), as_meant(1 / 3), as_meant(2)
    (Fraction(3, 10), Fraction(1, 3), Fraction(2, 1))
    """
    simple = Fraction(number).limit_denominator(_SIMPLE)
    return simple if float(simple) == number else Fraction(str(number))


def against(counts: NDArray[Any], totals: NDArray[Any], limit: float) -> NDArray[np.int8]:
    """Compare each counts / totals with the limit: -1 below, 0 equal, 1 above; 0 / 0 counts as equal.

    >>> against(np.array([1, 3, 4]), np.array([10, 10, 10]), 0.3).tolist()
    [-1, 0, 1]
    """
    meant = as_meant(limit)
    widest = max(
        int(counts.max(initial=0)) * meant.denominator,
        int(totals.max(initial=0)) * meant.numerator,
    )
    # Cross-multiplied whole numbers have no rounding; Python integers take over where 64 bits would overflow.
    kind = np.int64 if widest < WIDEST else object
    gap = counts.astype(kind) * meant.denominator - totals.astype(kind) * meant.numerator
    sign: NDArray[np.int8] = (gap > 0).astype(np.int8) - (gap < 0).astype(np.int8)
    return sign
