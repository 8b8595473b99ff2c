"""Discernibility ratio: discernibility as a share of its largest possible value."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.metrics.base import Measurable, TableMetric
from sfumato.metrics.discernibility import Discernibility


@dataclass(frozen=True, kw_only=True)
class DiscernibilityRatio(TableMetric):
    """What share of all pairs of records cannot be told apart: 1 means that all records look the same.

    It is the discernibility of the release over that of a table whose records all look the same, so tables of different
    size can be compared. Pairs are ordered and a record makes one with itself; a suppressed record looks like all.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> candidate = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1})
    >>> round(DiscernibilityRatio().measure(candidate), 4)
    0.5102

    References: book, equation 6.8.
    """

    limits = (0.0, 1.0)

    def _measure(self, release: Measurable) -> float:
        return Discernibility().measure(release) / max(release.original.records, 1) ** 2
