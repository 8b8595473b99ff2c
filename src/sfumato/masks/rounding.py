"""Rounding: publish the nearest multiple of a base."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from sfumato.masks.base import Mask, Matrix
from sfumato.runtime.secret_random import Randomness
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Rounding(Mask):
    """Rounds every number to the nearest multiple of a base; of two equally near, to the even one.

    >>> import pyarrow as pa
    >>> Rounding(base=5).mask(pa.table({"age": [21, 23, 48]}), ["age"])["age"].to_pylist()
    [20, 25, 50]
    """

    randomized = False
    needs_spread = False

    base: float = param(10, doc="the number whose multiples are published", above=0)

    def _mask(self, values: Matrix, random: Randomness, others: Matrix) -> Matrix:
        return multiples(np.round(values / self.base), self.base)


def multiples(times: Matrix, base: float) -> Matrix:
    """`times` times the base, rounded to the decimals of the base.

    >>> multiples(np.array([3.0]), 0.1)
    array([0.3])
    """
    decimals = Decimal(str(base)).as_tuple().exponent
    return np.round(times * base, max(-int(decimals), 0))
