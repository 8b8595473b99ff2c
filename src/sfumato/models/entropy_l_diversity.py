"""Entropy l-diversity: the entropy of every group is at least that of l equally likely values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import ceil, gcd, prod

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.exact_ratios import as_meant
from sfumato.disclosure.groups import Histogram
from sfumato.kernels.arrays import Flags
from sfumato.models.diversity_model import MISSING_DOC, DiversityModel, Missing
from sfumato.models.group_model import quasi_setting, sensitive_setting
from sfumato.models.search_bounds import DistinctValueBounds, SearchBounds
from sfumato.settings.params import param

_NEAR = 1e-9
_ROUNDING = 1e-14
"""Levels within this relative distance of l, plus the rounding for each value, are compared exactly."""

_DIGITS = 60
_CLEAR = Decimal("1e-40")
"""Logarithms of `_DIGITS` digits decide if they differ by more than this for each record."""


@dataclass(frozen=True, kw_only=True)
class EntropyLDiversity(DiversityModel):
    """The entropy of the sensitive column in every group is at least log l.

    The level of a group is exp(entropy), the number of equally likely values with the same entropy; it is between 1 and
    the number of different values. Unlike the number of values it falls when one value is frequent, but it does not
    bound a probability: at a level of 1.75, one value may have the share 75 %. A missing value counts as a value; with
    `missing = "no value"` the entropy is that of the known values of a group, which must have at least one.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> groups = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}).groups()
    >>> model = EntropyLDiversity(l=1.8)
    >>> model.level(groups).round(4).tolist(), model.holds(groups).tolist()
    ([1.8899, 1.7548], [True, False])

    References: Machanavajjhala et al. (2007); book, section 2.2.1, equation 2.1. Its Example 2.7 rounds 1.7548 up and
    so accepts l = 1.8 here.
    """

    guards_against = frozenset({"record linkage", "attribute linkage"})

    l: float = param(doc="fewest equally likely values with the entropy of a group", at_least=1)
    sensitive: str = sensitive_setting()
    quasi: str = quasi_setting()
    missing: Missing = param("value", doc=MISSING_DOC)

    @property
    def required(self) -> float:
        """The entropy of l equally likely values."""
        return self.l

    def _level(self, histogram: Histogram) -> NDArray[np.float64]:
        """exp(entropy) of each group."""
        mean = histogram.sum(histogram.counts * np.log(histogram.counts)) / histogram.totals
        level = np.where(_uniform(histogram), histogram.distinct, np.exp(np.log(histogram.totals) - mean))
        return np.where(histogram.certain, 1.0, level)

    def _holds(self, histogram: Histogram) -> Flags:
        """Whether each level reaches l; levels near l are compared by exact arithmetic."""
        level = self._level(histogram)
        holds = level >= self.l
        # Equally frequent values have a whole level; for others, the rounding error grows with the number of terms.
        near = np.abs(level - self.l) <= self.l * (_NEAR + _ROUNDING * histogram.distinct)
        limit = as_meant(self.l)
        for group in np.flatnonzero(near & ~_uniform(histogram) & ~histogram.certain):
            counts = histogram.counts[histogram.starts[group] : histogram.starts[group + 1]]
            holds[group] = _reaches(tuple(sorted(counts.tolist())), limit)
        return holds

    @property
    def bounds(self) -> SearchBounds:
        """A level of l needs l different values."""
        return DistinctValueBounds(ceil(as_meant(self.l)), self.sensitive, self.missing_is_a_value)


def _uniform(histogram: Histogram) -> Flags:
    """Groups in which all values that occur are equally frequent."""
    uniform: Flags = histogram.largest() * histogram.distinct == histogram.totals
    return uniform


@lru_cache(maxsize=4096)
def _reaches(counts: Sequence[int], limit: Fraction) -> bool:
    """Whether n^n / (c1^c1 c2^c2 ...) >= limit^n: by logarithms, or by whole numbers if these are too close."""
    # The comparison is scale-free: dividing all counts by a common factor takes both sides to the same root.
    shared = gcd(*counts)
    counts = [count // shared for count in counts]
    n, over, under = sum(counts), limit.numerator, limit.denominator
    with localcontext() as context:
        context.prec = _DIGITS
        gap = n * (Decimal(n).ln() - Decimal(over).ln() + Decimal(under).ln())
        gap -= sum(count * Decimal(count).ln() for count in counts)
        if abs(gap) > n * _CLEAR:
            return gap > 0
    powers: int = prod(count**count for count in counts)
    return bool((n * under) ** n >= over**n * powers)
