"""Suppressed share: the records that are missing from the release."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.data.table import Table
from sfumato.metrics.base import Metric
from sfumato.releases.candidate import Candidate


@dataclass(frozen=True, kw_only=True)
class SuppressedShare(Metric):
    """What share of the records is left out of the release.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> SuppressedShare().measure(hospital(), generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}))
    0.0

    References: book, section 3.1 (record suppression).
    """

    limits = (0.0, 1.0)

    def _measure(self, original: Table, candidate: Candidate) -> float:
        return candidate.suppressed_records / max(original.records, 1)
