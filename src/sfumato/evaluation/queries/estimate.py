"""An estimate: the answer to a query that a release does not determine exactly, with its uncertainty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

from sfumato.errors import ParameterError

INDEPENDENT = "within a bucket, the values of different blocks are independent of each other"
"""What the expected value assumes."""
RANDOM_BUCKETS = "buckets were drawn at random given the sensitive values, without regard to other columns"
"""What an interval assumes that is shorter than the certain bounds."""


@dataclass(frozen=True)
class Estimate:
    """An expected value, certain bounds, and for random buckets an interval.

    The three differ in what they need to be true. The bounds `low` and `high` need nothing: the true value lies between
    them. The interval needs buckets that were drawn at random given the sensitive values; `drawn` computes it, and is
    None if the release is not known to have such buckets. `value` needs independence of the blocks within a bucket,
    which is hardly ever true of real data; how far it is from the true value cannot be told.

    >>> answer = Estimate(1.5, 1, 2)
    >>> answer.exact, answer.interval()
    (False, (1, 2))
    """

    value: float
    low: float
    high: float
    drawn: Callable[[float], tuple[float, float]] | None = field(default=None, compare=False, repr=False)

    @property
    def exact(self) -> bool:
        """Whether the release determines the value exactly."""
        return self.low == self.high

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """An interval that contains the true value with at least this probability.

        Without random buckets it is the certain bounds, because then no shorter interval holds for every data set.
        """
        if not 0 < level < 1:
            raise ParameterError(f"'level' must lie between 0 and 1; got {level!r}.")
        if self.drawn is None or not self.low < self.high:
            return self.low, self.high
        low, high = self.drawn(NormalDist().inv_cdf((1 + level) / 2))
        return min(max(low, self.low), self.high), max(min(high, self.high), self.low)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """The estimate as plain data, for JSON; `interval` is null if there is none shorter than the certain bounds."""
        low, high = self.interval(level)
        ends = {"level": level, "low": low, "high": high, "assumes": RANDOM_BUCKETS}
        return {
            "certain": {"low": self.low, "high": self.high},
            "interval": None if self.drawn is None else ends,
            "value": self.value,
            "value_assumes": None if self.exact else INDEPENDENT,
        }
