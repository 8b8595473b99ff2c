"""The least and the most that some numbers can add up to, if nobody knows which of them count."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_ENOUGH = 1e-12
_STEPS = 64


@dataclass(frozen=True, eq=False)
class Extremes:
    """Numbers in ascending order within their bucket, of which between `fewest` and `most` count in each bucket."""

    numbers: Numbers
    bucket: NDArray[np.int64]
    fewest: NDArray[np.int64]
    most: NDArray[np.int64]

    @property
    def lowest_sum(self) -> float:
        """The smallest ones, and of the positive ones no more than must be."""
        return self._pick(0.0, highest=False)[0]

    @property
    def highest_sum(self) -> float:
        """The largest ones, and of the negative ones no more than must be."""
        return self._pick(0.0, highest=True)[0]

    @property
    def lowest_average(self) -> float:
        """The smallest average; not a number if nothing can count."""
        return self._average(highest=False)

    @property
    def highest_average(self) -> float:
        """The largest average; not a number if nothing can count."""
        return self._average(highest=True)

    def _pick(self, beyond: float, *, highest: bool) -> tuple[float, int]:
        """Count the numbers beyond a limit, as far as may be: what they add up to, and how many they are."""
        welcome = self.numbers > beyond if highest else self.numbers < beyond
        wanted = np.bincount(self.bucket, weights=welcome, minlength=len(self.most)).astype(np.int64)
        taken = np.clip(wanted, self.fewest, self.most)
        stops = self._starts[1:] if highest else self._starts[:-1] + taken
        return float((self._running[stops] - self._running[stops - taken]).sum()), int(taken.sum())

    def _average(self, *, highest: bool) -> float:
        """Count what is beyond the average so far, until that makes it no better (Dinkelbach 1967)."""
        total, count = self._pick(-np.inf if highest else np.inf, highest=highest)
        if not count:
            return float("nan")
        average = total / count
        for _ in range(_STEPS):
            total, count = self._pick(average, highest=highest)
            better = total - average * count if highest else average * count - total
            if not count or better <= _ENOUGH * (abs(total) + abs(average) * count):
                break
            average = total / count
        return average

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(np.bincount(self.bucket, minlength=len(self.most)))])

    @cached_property
    def _running(self) -> Numbers:
        return np.concatenate([[0.0], np.cumsum(self.numbers)])
