"""Sign test: whether masking increased numbers as often as it decreased them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics.base import NumberMetric

_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class SignTest(NumberMetric):
    """The smallest p-value of a sign test, over all columns, of whether masking increases and decreases equally often.

    Records whose number did not change are left out. The p-value is two-sided; 1 means as many increases as decreases,
    or no change at all. The test is not informative for medians of groups, which always increase about half of the
    changed numbers and decrease the others.

    >>> groups = [[45, 42, 51, 46], [2, 5, 6, 11], [31, 22, 26, 25]]
    >>> pair = PairedNumbers.of_arrays(np.ravel(groups), np.repeat(np.mean(groups, axis=1), 4))
    >>> round(SignTest().measure(pair), 7)
    0.5078125

    References: Kabir (2010), theorem 7.4.1 and figures 7.1 and 7.2.
    """

    better = "higher"
    limits = (0.0, 1.0)
    has_scale = False

    def _score(self, numbers: PairedNumbers) -> float:
        from scipy.special import bdtr

        change = numbers.original - numbers.published
        change[np.abs(change) <= _ROUNDING * np.abs(numbers.original)] = 0.0
        up, down = numbers.counts @ (change > 0), numbers.counts @ (change < 0)
        both_tails = 2 * bdtr(np.minimum(up, down).astype(np.float64), up + down, 0.5)
        return float(np.minimum(both_tails, 1.0).min())
