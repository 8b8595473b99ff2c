"""The errors of a learner on raw records, on masked ones and without quasi columns, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class ClassificationErrors:
    """Shares of test records whose class was predicted wrongly, and the protocol of the measurement.

    `baseline` is BE of the literature, `masked` AE (CE in the book) and `upper` UE.

    >>> print(ClassificationErrors(baseline=0.147, masked=0.168, upper=0.215, protocol="one sentence"))
    error on raw records (BE)           14.70 %
    error on masked records (AE, CE)    16.80 %
    error without quasi columns (UE)    21.50 %
    cost of masking                      2.10 %
    benefit over leaving them out        4.70 %
    Protocol: one sentence.
    """

    baseline: float
    masked: float
    upper: float
    protocol: str

    @property
    def cost(self) -> float:
        """By how much masking raised the error."""
        return self.masked - self.baseline

    @property
    def benefit(self) -> float:
        """By how much masking is better than leaving all quasi columns out."""
        return self.upper - self.masked

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a report or a table of results."""
        found = {name: getattr(self, name) for name in ("baseline", "masked", "upper", "cost", "benefit")}
        return {**found, "protocol": self.protocol}

    def __str__(self) -> str:
        rows = [
            ("error on raw records (BE)", self.baseline),
            ("error on masked records (AE, CE)", self.masked),
            ("error without quasi columns (UE)", self.upper),
            ("cost of masking", self.cost),
            ("benefit over leaving them out", self.benefit),
        ]
        lines = [f"{name:<34}{100 * value:>7.2f} %" for name, value in rows]
        return "\n".join([*lines, f"Protocol: {self.protocol}."])
