"""Absolute deviation: the sum of the absolute changes of all masked numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics.base import NumberMetric, of_whole
from sfumato.metrics.quantile_error import quantiles
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class AbsoluteDeviation(NumberMetric):
    """The sum of absolute differences between published and original numbers, over all records and columns.

    Medians of groups minimize it, as means minimize squared differences. If `relative`, the result is in percent of the
    deviation of a release that publishes the median of the whole column in every record.

    >>> groups = [[45, 42, 51, 46], [2, 5, 6, 11], [31, 22, 26, 25]]
    >>> pair = PairedNumbers.of_arrays(np.ravel(groups), np.repeat(np.median(groups, axis=1), 4))
    >>> AbsoluteDeviation().measure(pair)
    30.0

    References: Kabir (2010), equation 7.1.
    """

    raw_sum = True

    standardize: bool = param(
        False, doc="whether every column is divided by its standard deviation, to have the same weight"
    )
    relative: bool = param(
        False, doc="whether the result is in percent of the deviation from the medians of the columns"
    )

    def _score(self, numbers: PairedNumbers) -> float:
        pair = numbers.standardized() if self.standardize else numbers
        deviation = float(pair.counts @ np.abs(pair.original - pair.published).sum(axis=1))
        if not self.relative:
            return deviation
        median = quantiles(pair.original, pair.counts, 2)[0]
        return 100 * of_whole(deviation, float(pair.counts @ np.abs(pair.original - median).sum(axis=1)))
