"""Regression error: the change of regression coefficients by masking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.paired_numbers import PairedNumbers, moments
from sfumato.metrics.base import NumberMetric, of_whole

_SINGULAR = 1e-10


@dataclass(frozen=True, kw_only=True)
class RegressionError(NumberMetric):
    """The change of the coefficients that predict each column from the others, relative to the original coefficients.

    Every column is regressed on all others by least squares, once in the original and once as published, both scaled
    by the original. The absolute differences of all coefficients are added up and divided by the sum of the
    absolute original coefficients. If columns determine each other, they share their coefficient.

    >>> RegressionError().measure(PairedNumbers.of_arrays([[1, 1], [2, 2], [3, 3]], [[1, 3], [2, 2], [3, 1]]))
    2.0
    """

    needs_numbers = 2

    def _score(self, numbers: PairedNumbers) -> float:
        pair = numbers.standardized()
        before, after = (_coefficients(side, pair.counts) for side in (pair.original, pair.published))
        return of_whole(float(np.abs(after - before).sum()), float(np.abs(before).sum()))


def _coefficients(values: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The coefficients of every column on the others, one row per column; of several solutions, that of least norm."""
    covariance = moments(values, counts)[1]
    flat = np.diagonal(covariance) < _SINGULAR  # constant except for rounding, whose noise could fit anything
    covariance[flat, :] = covariance[:, flat] = 0.0
    found = np.zeros_like(covariance)
    for place in range(len(covariance)):
        others = np.arange(len(covariance)) != place
        among, towards = covariance[np.ix_(others, others)], covariance[others, place]
        found[place, others] = np.linalg.lstsq(among, towards, rcond=_SINGULAR)[0]
    return found
