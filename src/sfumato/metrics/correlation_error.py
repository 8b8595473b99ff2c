"""Correlation error: how much masking changed the correlations between columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.paired_numbers import PairedNumbers, moments
from sfumato.metrics.base import NumberMetric

_CONSTANT = 1e-24
"""A variance this small, relative to the squares of the numbers, comes from rounding."""


@dataclass(frozen=True, kw_only=True)
class CorrelationError(NumberMetric):
    """The mean absolute change of correlations between columns: 0 means that none changed, 2 that all were reversed.

    The mean is over all pairs of columns. A constant column counts as uncorrelated with every other.

    >>> CorrelationError().measure(PairedNumbers.of_arrays([[1, 1], [2, 2], [3, 3]], [[1, 3], [2, 2], [3, 1]]))
    2.0

    References: Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata.
    """

    limits = (0.0, 2.0)
    # One group has no correlations, so the end of the scale would be the mean absolute correlation of the original.
    # That is nearly 0 where columns do not depend on each other, and a small error would be many times as much.
    has_scale = False
    needs_numbers = 2

    def _score(self, numbers: PairedNumbers) -> float:
        before, after = (_correlations(side, numbers.counts) for side in (numbers.original, numbers.published))
        once = np.triu_indices(len(numbers.columns), 1)
        return float(np.mean(np.abs(after - before)[once]))


def _correlations(values: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    covariance = moments(values, counts)[1]
    variance = np.diagonal(covariance).copy()
    varies = variance > _CONSTANT * np.square(values).max(axis=0)
    deviation = np.sqrt(np.where(varies, variance, 1.0))
    found = covariance / np.outer(deviation, deviation) * np.outer(varies, varies)
    clipped: NDArray[np.float64] = np.clip(found, -1.0, 1.0)
    return clipped
