"""Suppressed share: the share of records that the release leaves out."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.metrics.base import Measurable, TableMetric


@dataclass(frozen=True, kw_only=True)
class SuppressedShare(TableMetric):
    """The share of records that are suppressed.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> SuppressedShare().measure(generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}))
    0.0

    References: book, section 3.1 (record suppression).
    """

    limits = (0.0, 1.0)

    def _measure(self, release: Measurable) -> float:
        return release.suppressed_records / max(release.original.records, 1)
