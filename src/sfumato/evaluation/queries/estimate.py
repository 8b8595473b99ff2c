"""An estimate: the answer to a query that a release does not determine exactly, with its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

from sfumato.errors import ParameterError


@dataclass(frozen=True)
class Estimate:
    """An estimated value with two bounds; the true value is certain to lie between them.

    `variance` assumes that all ways to combine the values of a bucket into records are equally likely. That is all a
    release reveals; someone with background knowledge, or who knows how buckets were chosen, may estimate better.

    >>> answer = Estimate(1.5, 1, 2, 0.25)
    >>> answer.exact, answer.likely()
    (False, (1, 2))
    """

    value: float
    low: float
    high: float
    variance: float = 0.0

    @property
    def exact(self) -> bool:
        """Whether the release determines the value exactly."""
        return self.low == self.high

    def likely(self, level: float = 0.95) -> tuple[float, float]:
        """An interval for the true value at this confidence level: a normal approximation within the certain bounds."""
        if not 0 < level < 1:
            raise ParameterError(f"'level' must lie between 0 and 1; got {level!r}.")
        reach = NormalDist().inv_cdf((1 + level) / 2) * sqrt(self.variance)
        return max(self.low, self.value - reach), min(self.high, self.value + reach)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """The estimate as plain data, for JSON."""
        low, high = self.likely(level)
        return {
            "value": self.value,
            "certain": {"low": self.low, "high": self.high},
            "likely": {"level": level, "low": low, "high": high},
        }
