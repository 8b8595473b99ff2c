"""Discernibility: the sum, over all records, of the number of records that are indistinguishable from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.metrics.base import Measurable, TableMetric


@dataclass(frozen=True, kw_only=True)
class Discernibility(TableMetric):
    """The sum, over all records, of the number of records that are indistinguishable from it, itself included.

    A group of s records costs s squared. A suppressed record costs the number of records of the table, because it could
    be any of them. Only group sizes count, not the distances between the values of a group.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> Discernibility().measure(generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}))
    25.0

    References: Skowron and Rauszer (1992); Bayardo and Agrawal (2005) for suppressed records; book, equation 4.3.
    """

    raw_sum = True

    def _measure(self, release: Measurable) -> float:
        sizes = release.record_groups().sizes.astype(np.float64)
        return float(sizes @ sizes) + float(release.suppressed_records) * release.original.records
