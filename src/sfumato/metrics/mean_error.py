"""Mean error: the change of the means of columns by masking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.disclosure.paired_numbers import PairedNumbers, moments
from sfumato.metrics.base import NumberMetric


@dataclass(frozen=True, kw_only=True)
class MeanError(NumberMetric):
    """The mean absolute change of the means of columns, in standard deviations of the original.

    0 means that no mean changed, as after microaggregation with means.

    >>> MeanError().measure(PairedNumbers.of_arrays([1, 3], [2, 4]))
    1.0

    References: Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata,
    who divide the differences by the mean instead.
    """

    has_scale = False  # one group publishes the same means, so both ends of the scale are 0

    def _score(self, numbers: PairedNumbers) -> float:
        before, after = (moments(side, numbers.counts)[0] for side in (numbers.original, numbers.published))
        return float(np.mean(np.abs(after - before) / numbers.spread))
