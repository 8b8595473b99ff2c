"""Mean error: how far masking moved the averages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.metrics.base import NumberMetric
from sfumato.metrics.paired_numbers import Masked, moments


@dataclass(frozen=True, kw_only=True)
class MeanError(NumberMetric):
    """How far the means of columns moved on average, in standard deviations of the original.

    0 means that every mean is what it was, as after microaggregation with means.

    >>> MeanError().compare(Masked.of_arrays([1, 3], [2, 4]))
    1.0

    References: Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata,
    where differences are compared with the mean itself.
    """

    def _score(self, masked: Masked) -> float:
        before, after = (moments(side, masked.counts)[0] for side in (masked.original, masked.published))
        return float(np.mean(np.abs(after - before) / masked.spread))
