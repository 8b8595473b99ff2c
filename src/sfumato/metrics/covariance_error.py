"""Covariance error: how much masking changed variances and covariances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.disclosure.paired_numbers import PairedNumbers, moments
from sfumato.metrics.base import NumberMetric


@dataclass(frozen=True, kw_only=True)
class CovarianceError(NumberMetric):
    """The mean absolute change of variances and covariances, with every original column scaled to variance 1.

    0 means that none changed. Means of groups always have a lower variance than the original records.

    >>> round(CovarianceError().measure(PairedNumbers.of_arrays([1, 3, 5, 7], [2, 2, 6, 6])), 4)
    0.2

    References: Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata.
    """

    def _score(self, numbers: PairedNumbers) -> float:
        pair = numbers.standardized()
        before, after = (moments(side, pair.counts)[1] for side in (pair.original, pair.published))
        once = np.triu_indices(len(pair.columns))
        return float(np.mean(np.abs(after - before)[once]))
