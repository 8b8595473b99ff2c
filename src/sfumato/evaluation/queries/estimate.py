"""An estimate: the answer to a question that a release leaves open, and how far open."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

from sfumato.errors import ParameterError


@dataclass(frozen=True)
class Estimate:
    """A value between two bounds that are certain: whatever the truth is, it lies within them.

    `variance` is that of the answer if all ways in which the values of a bucket could belong together are equally
    likely. That is all that a release says; who knows more of people, or how buckets were chosen, may know better.

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
        """Whether nothing is left open."""
        return self.low == self.high

    def likely(self, level: float = 0.95) -> tuple[float, float]:
        """Where the truth lies with this probability, as for the sum of many buckets; never beyond what is certain."""
        if not 0 < level < 1:
            raise ParameterError(f"'level' must lie between 0 and 1; got {level!r}.")
        reach = NormalDist().inv_cdf((1 + level) / 2) * sqrt(self.variance)
        return max(self.low, self.value - reach), min(self.high, self.value + reach)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain data."""
        low, high = self.likely(level)
        return {
            "value": self.value,
            "certain": {"low": self.low, "high": self.high},
            "likely": {"level": level, "low": low, "high": high},
        }
