"""Quantile error: the change of the quantiles of columns by masking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics.base import NumberMetric
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class QuantileError(NumberMetric):
    """The mean absolute change of the quantiles of columns, in standard deviations of the original.

    With ten parts, the nine deciles are compared; with two parts, only the medians.

    >>> QuantileError(parts=2).measure(PairedNumbers.of_arrays([1, 3], [2, 4]))
    1.0
    """

    parts: int = param(10, doc="number of equal parts into which the quantiles divide the records", at_least=2)

    def _score(self, numbers: PairedNumbers) -> float:
        before, after = (quantiles(side, numbers.counts, self.parts) for side in (numbers.original, numbers.published))
        return float(np.mean(np.abs(after - before) / numbers.spread))


def quantiles(values: NDArray[np.float64], counts: NDArray[np.int64], parts: int) -> NDArray[np.float64]:
    """The quantiles that divide every column into equal parts, one row for each.

    A quantile is the smallest value such that at least its share of the records is at or below it.

    >>> quantiles(np.array([[4.0], [1.0], [3.0], [2.0]]), np.ones(4, dtype=np.int64), 2)
    array([[2.]])
    """
    records = int(counts.sum())
    reached = np.array([-(-cut * records // parts) for cut in range(1, parts)])
    found = np.empty((parts - 1, values.shape[1]))
    for place in range(values.shape[1]):
        order = np.argsort(values[:, place], kind="stable")
        found[:, place] = values[order[np.searchsorted(np.cumsum(counts[order]), reached)], place]
    return found
