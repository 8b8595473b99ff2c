"""Random rounding: round down or up to a multiple of a base at random, so that sums are preserved on average."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.masks.base import Mask, Matrix
from sfumato.masks.rounding import multiples
from sfumato.runtime.secret_random import Randomness
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class RandomRounding(Mask):
    """Rounds every number down or up to a multiple of a base at random; the nearer multiple is more likely.

    A number a quarter of the way up is rounded up with probability 1/4, so that the average is preserved. Multiples of
    the base stay unchanged.

    >>> import pyarrow as pa
    >>> made = RandomRounding(base=5).mask(pa.table({"age": [21, 23, 50]}), ["age"], seed=1)["age"].to_pylist()
    >>> made[0] in (20, 25), made[1] in (20, 25), made[2]
    (True, True, 50)

    References: Nargundkar and Saveland (1972), Random rounding to prevent statistical disclosure.
    """

    needs_spread = False

    base: float = param(10, doc="the number whose multiples are published", above=0)

    def _mask(self, values: Matrix, random: Randomness, others: Matrix) -> Matrix:
        times = values / self.base
        nearest = np.round(times)
        times = np.where(np.isclose(times, nearest, rtol=1e-12, atol=0), nearest, times)
        below = np.floor(times)
        return multiples(below + (random.random(values.shape) < times - below), self.base)
