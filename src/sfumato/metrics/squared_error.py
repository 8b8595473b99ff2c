"""Squared error: the squared changes of masked numbers, relative to their variation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.disclosure.paired_numbers import PairedNumbers, moments
from sfumato.metrics.base import NumberMetric, of_whole
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class SquaredError(NumberMetric):
    """The sum of squared changes of numbers, in percent of the sum of squared differences from their mean.

    0 means that no number changed, 100 that only the mean of every column is left. Means of groups never cost more than
    100; noise and swapping may. Columns are standardized first, as in every published comparison of microaggregation,
    unless `standardize` is false.

    >>> groups = [[45, 42, 51, 46], [2, 5, 6, 11], [31, 22, 26, 25]]
    >>> pair = PairedNumbers.of_arrays(np.ravel(groups), np.repeat(np.mean(groups, axis=1), 4))
    >>> round(SquaredError().measure(pair), 3)
    3.788

    References: Domingo-Ferrer and Mateo-Sanz (2002), the information loss 100 SSE / SST;
    Kabir (2010), equations 6.1 to 6.3.
    """

    standardize: bool = param(
        True, doc="whether every column is divided by its standard deviation, to have the same weight"
    )

    def _score(self, numbers: PairedNumbers) -> float:
        pair = numbers.standardized() if self.standardize else numbers
        centre = moments(pair.original, pair.counts)[0]
        changed = pair.counts @ np.square(pair.original - pair.published).sum(axis=1)
        total = pair.counts @ np.square(pair.original - centre).sum(axis=1)
        return 100 * of_whole(changed, total)
