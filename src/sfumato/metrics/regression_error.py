"""Regression error: how much masking changed the coefficients that predict a column from the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.paired_numbers import PairedNumbers, moments
from sfumato.metrics.base import NumberMetric, of_whole

_SINGULAR = 1e-10


@dataclass(frozen=True, kw_only=True)
class RegressionError(NumberMetric):
    """By how much the coefficients that predict every column from the others changed, as a share of the original ones.

    Every column is regressed on all others by least squares, once in the original and once as published, with both
    scaled by the original. The absolute differences of all coefficients are added up and divided by the sum of the
    absolute original coefficients. Columns that determine each other share their coefficient.

    >>> RegressionError().measure(PairedNumbers.of_arrays([[1, 1], [2, 2], [3, 3]], [[1, 3], [2, 2], [3, 1]]))
    2.0
    """

    needs_numbers = 2

    def _score(self, numbers: PairedNumbers) -> float:
        pair = numbers.standardized()
        before, after = (_coefficients(side, pair.counts) for side in (pair.original, pair.published))
        return of_whole(float(np.abs(after - before).sum()), float(np.abs(before).sum()))


def _coefficients(values: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The coefficients of every column on the others, one row per column; of several solutions the shortest."""
    covariance = moments(values, counts)[1]
    flat = np.diagonal(covariance) < _SINGULAR  # constant but for rounding, which would explain anything
    covariance[flat, :] = covariance[:, flat] = 0.0
    found = np.zeros_like(covariance)
    for place in range(len(covariance)):
        others = np.arange(len(covariance)) != place
        among, towards = covariance[np.ix_(others, others)], covariance[others, place]
        found[place, others] = np.linalg.lstsq(among, towards, rcond=_SINGULAR)[0]
    return found
