"""Mean error: how far masking moved the averages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.disclosure.paired_numbers import PairedNumbers, moments
from sfumato.metrics.base import NumberMetric


@dataclass(frozen=True, kw_only=True)
class MeanError(NumberMetric):
    """How far the means of columns moved on average, in standard deviations of the original.

    0 means that every mean is what it was, as after microaggregation with means.

    >>> MeanError().measure(PairedNumbers.of_arrays([1, 3], [2, 4]))
    1.0

    References: Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata,
    where differences are compared with the mean itself.
    """

    def _score(self, numbers: PairedNumbers) -> float:
        before, after = (moments(side, numbers.counts)[0] for side in (numbers.original, numbers.published))
        return float(np.mean(np.abs(after - before) / numbers.spread))
