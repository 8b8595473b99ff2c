"""Risk bands: how many records are found with which chance, in the original and in a release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.disclosure.groups import Groups
from sfumato.disclosure.published_digits import rounded

_LIMITS = (1, 2, 3, 5, 10, 20, 100)
"""The smallest group of each band; the last one has no upper limit."""


@dataclass(frozen=True)
class RiskBand:
    """The records in groups of `low` to `high` records, as shares of all records of the original and of the release.

    A record that looks like s - 1 others is found with a chance of 1 / s. If models count persons, so do the shares.
    """

    low: int
    high: int | None
    before: float
    after: float

    @property
    def sizes(self) -> str:
        """The sizes of its groups, as text."""
        if self.high is None:
            return f"≥{self.low:,}"
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}–{self.high:,}"

    @property
    def chances(self) -> str:
        """The chances of being found in its groups, as text."""
        highest = f"{100 / self.low:.0f}%"
        if self.high is None:
            return f"≤{highest}"
        return highest if self.low == self.high else f"{100 / self.high:.0f}–{highest}"


def risk_bands(original: Groups, published: Groups) -> tuple[RiskBand, ...]:
    """All bands, from groups of one record to the largest groups."""
    highs = (*(low - 1 for low in _LIMITS[1:]), None)
    shares = zip(_LIMITS, highs, _shares(original), _shares(published), strict=True)
    return tuple(RiskBand(low, high, rounded(before), rounded(after)) for low, high, before, after in shares)


def _shares(groups: Groups) -> list[float]:
    band = np.searchsorted(np.array(_LIMITS), groups.sizes, side="right") - 1
    sums = np.bincount(band, weights=groups.sizes, minlength=len(_LIMITS))
    return [float(share) for share in sums / max(groups.records, 1)]
