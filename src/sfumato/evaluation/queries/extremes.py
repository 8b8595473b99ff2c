"""The smallest and largest sum and average of numbers if only bounds on how many of them count are known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.runtime.representations import sizes_only

Numbers = NDArray[np.float64]

_TOLERANCE = 1e-12
"""An average that improves by a smaller share than this is final."""
_MAX_STEPS = 64
"""The iteration converges faster than linearly; this many steps are never needed, and only bound the loop."""


@dataclass(frozen=True, eq=False)
class Extremes:
    """Numbers in ascending order per bucket; in each bucket, between `fewest` and `most` of them count."""

    numbers: Numbers
    bucket: NDArray[np.int64]
    fewest: NDArray[np.int64]
    most: NDArray[np.int64]

    def __repr__(self) -> str:
        return sizes_only(self)

    @property
    def lowest_sum(self) -> float:
        """The smallest possible sum: the smallest numbers, with as few positive ones as allowed."""
        return self._pick(0.0, highest=False)[0]

    @property
    def highest_sum(self) -> float:
        """The largest possible sum: the largest numbers, with as few negative ones as allowed."""
        return self._pick(0.0, highest=True)[0]

    @property
    def lowest_average(self) -> float:
        """The smallest possible average; nan if no number can count."""
        return self._average(highest=False)

    @property
    def highest_average(self) -> float:
        """The largest possible average; nan if no number can count."""
        return self._average(highest=True)

    def _pick(self, beyond: float, *, highest: bool) -> tuple[float, int]:
        """The sum and number of the numbers beyond a limit, adjusted to the bounds of every bucket."""
        past_limit = self.numbers > beyond if highest else self.numbers < beyond
        wanted = np.bincount(self.bucket, weights=past_limit, minlength=len(self.most)).astype(np.int64)
        taken = np.clip(wanted, self.fewest, self.most)
        # Numbers ascend in each bucket, so the highest ones are a suffix and the lowest ones a prefix.
        stops = self._starts[1:] if highest else self._starts[:-1] + taken
        return float((self._running_sums[stops] - self._running_sums[stops - taken]).sum()), int(taken.sum())

    def _average(self, *, highest: bool) -> float:
        """Pick the numbers beyond the current average until that no longer improves it (Dinkelbach 1967)."""
        total, count = self._pick(-np.inf if highest else np.inf, highest=highest)
        if not count:
            return float("nan")
        average = total / count
        for _ in range(_MAX_STEPS):
            total, count = self._pick(average, highest=highest)
            better = total - average * count if highest else average * count - total
            if not count or better <= _TOLERANCE * (abs(total) + abs(average) * count):
                break
            average = total / count
        return average

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(np.bincount(self.bucket, minlength=len(self.most)))])

    @cached_property
    def _running_sums(self) -> Numbers:
        return np.concatenate([[0.0], np.cumsum(self.numbers)])
