"""Discernibility: every record pays for the records it can no longer be told apart from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.data.table import Table
from sfumato.metrics.base import Metric
from sfumato.releases.candidate import Candidate


@dataclass(frozen=True, kw_only=True)
class Discernibility(Metric):
    """How many records each record looks like, itself included, added up over all records.

    A group of s records costs s squared, and a suppressed record costs as many as the table has, because it could be
    any of them. It looks at group sizes only, not at how far the values of a group lie apart.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> Discernibility().measure(hospital(), generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}))
    25.0

    References: Skowron and Rauszer (1992); Bayardo and Agrawal (2005) for suppressed records; book, equation 4.3.
    """

    def _measure(self, original: Table, candidate: Candidate) -> float:
        sizes = candidate.record_groups().sizes.astype(np.float64)
        return float(sizes @ sizes) + float(candidate.suppressed_records) * original.records
