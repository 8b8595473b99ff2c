"""Entropy l-diversity: every group is as uncertain as l equally likely values."""

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
from sfumato.disclosure.groups import Groups, Histogram
from sfumato.models.group_model import GroupModel
from sfumato.models.search_bounds import DistinctValueBounds, SearchBounds
from sfumato.settings.params import param

_NEAR = 1e-9
_ROUNDING = 1e-14
_DIGITS = 60
_CLEAR = Decimal("1e-40")


@dataclass(frozen=True, kw_only=True)
class EntropyLDiversity(GroupModel):
    """The entropy of the sensitive column in every group is at least log l.

    The level of a group is the number of equally likely values that would be as uncertain: exp(entropy), between 1 and
    the number of different values. It falls when one value is frequent, which counting values does not notice; yet it
    is no bound on a risk: a level of 1.75 goes with one value being 75 % certain. A missing value counts as a value.

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

    l: float = param(doc="fewest equally likely values that would be as uncertain as a group", at_least=1)
    sensitive: str = param("", doc="the sensitive column; may stay empty where there is only one")
    quasi: str = param("", doc="name of the quasi-identifier; empty means all quasi columns")

    @property
    def required(self) -> float:
        """As uncertain as l equally likely values."""
        return self.l

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """exp(entropy) of each group."""
        histogram = self._histogram(groups)
        mean = histogram.sum(histogram.counts * np.log(histogram.counts)) / histogram.totals
        level = np.where(_uniform(histogram), histogram.distinct, np.exp(np.log(histogram.totals) - mean))
        return np.where(histogram.certain, 1.0, level)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Whether each level reaches l; where floating point is too coarse to tell, by exact arithmetic."""
        histogram, level = self._histogram(groups), self.level(groups)
        holds = level >= self.l
        # Equally frequent values have a whole level; for the others, rounding grows with the terms that are added.
        near = np.abs(level - self.l) <= self.l * (_NEAR + _ROUNDING * histogram.distinct)
        limit = as_meant(self.l)
        for group in np.flatnonzero(near & ~_uniform(histogram) & ~histogram.certain):
            counts = histogram.counts[histogram.starts[group] : histogram.starts[group + 1]]
            holds[group] = _reaches(tuple(sorted(counts.tolist())), limit)
        return holds

    @property
    def bounds(self) -> SearchBounds:
        """A level of l takes l different values."""
        return DistinctValueBounds(ceil(as_meant(self.l)), self.sensitive)

    def _histogram(self, groups: Groups) -> Histogram:
        return groups.histogram(groups.schema.one_sensitive(self.sensitive))


def _uniform(histogram: Histogram) -> NDArray[np.bool_]:
    """Groups in which all values that occur are equally frequent."""
    uniform: NDArray[np.bool_] = histogram.largest() * histogram.distinct == histogram.totals
    return uniform


@lru_cache(maxsize=4096)
def _reaches(counts: Sequence[int], limit: Fraction) -> bool:
    """Whether n^n / (c1^c1 c2^c2 ...) >= limit^n: by logarithms, or by whole numbers where those are equal."""
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
