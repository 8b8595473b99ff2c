"""Sign test: whether masking moved numbers up as often as down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics.base import NumberMetric

_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class SignTest(NumberMetric):
    """How probable it is that numbers move up or down so unevenly by mere chance, in the column where it is least.

    Records whose number did not move are left out. The others are treated as coin tosses, up or down, and the answer is
    the two-sided p-value. 1 means as many up as down, or that no number moved. It says little about medians of groups,
    which always move about half of the numbers each way.

    >>> groups = [[45, 42, 51, 46], [2, 5, 6, 11], [31, 22, 26, 25]]
    >>> pair = PairedNumbers.of_arrays(np.ravel(groups), np.repeat(np.mean(groups, axis=1), 4))
    >>> round(SignTest().measure(pair), 7)
    0.5078125

    References: Kabir (2010), theorem 7.4.1 and figures 7.1 and 7.2.
    """

    better = "higher"
    limits = (0.0, 1.0)

    def _score(self, numbers: PairedNumbers) -> float:
        from scipy.special import bdtr

        apart = numbers.original - numbers.published
        apart[np.abs(apart) <= _ROUNDING * np.abs(numbers.original)] = 0.0
        up, down = numbers.counts @ (apart > 0), numbers.counts @ (apart < 0)
        both_tails = 2 * bdtr(np.minimum(up, down).astype(np.float64), up + down, 0.5)
        return float(np.minimum(both_tails, 1.0).min())
