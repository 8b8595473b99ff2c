"""Discernibility ratio: discernibility as a share of its largest possible value."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.metrics.base import Measurable, TableMetric
from sfumato.metrics.discernibility import Discernibility


@dataclass(frozen=True, kw_only=True)
class DiscernibilityRatio(TableMetric):
    """The share of pairs of records that are indistinguishable: 1 means that all published records are equal.

    It is the discernibility of the release divided by that of a table whose records are all equal, so that tables of
    different size can be compared. Pairs are ordered, and a record forms one with itself; a suppressed record is
    indistinguishable from all.

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
