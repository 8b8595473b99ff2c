"""Recursive (c,l)-diversity: the most frequent value is not too frequent, even if others are ruled out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.disclosure.exact_ratios import against
from sfumato.disclosure.groups import Histogram
from sfumato.kernels.arrays import Flags
from sfumato.models.diversity_model import MISSING_DOC, DiversityModel, Missing
from sfumato.models.group_model import quasi_setting, sensitive_setting
from sfumato.models.search_bounds import DistinctValueBounds, SearchBounds
from sfumato.settings.params import param

Counts = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class RecursiveCLDiversity(DiversityModel):
    """In every group the most frequent value occurs less than c times as often as the l-th and all rarer ones together.

    Sort the counts of a group from largest to smallest, f1 to fm: f1 < c (fl + ... + fm). An attacker who
    rules out up to l - 2 values still finds a diverse group. The level is f1 / (fl + ... + fm), infinite if fewer than
    l values occur. A missing value counts as a value; with `missing = "no value"` only the counts of known values are
    compared, of which a group must have at least one.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> groups = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}).groups()
    >>> model = RecursiveCLDiversity(c=3, l=2)
    >>> model.level(groups).tolist(), model.holds(groups).tolist()
    ([2.0, 3.0], [True, False])

    References: Machanavajjhala et al. (2007); book, Definition 2.2, which has `<=` where its explanation and the paper
    have `<`: `strict=False` follows the printed definition.
    """

    guards_against = frozenset({"record linkage", "attribute linkage"})
    better = "lower"

    c: float = param(doc="how many times as frequent as the rest the most frequent value may be", above=0)
    l: int = param(doc="where, in order of frequency, the rest begins", at_least=1)
    strict: bool = param(True, doc="whether a ratio of exactly c fails")
    sensitive: str = sensitive_setting()
    quasi: str = quasi_setting()
    missing: Missing = param("value", doc=MISSING_DOC)

    @property
    def required(self) -> float:
        """A ratio of at most c; less than c if strict."""
        return self.c

    def _level(self, histogram: Histogram) -> NDArray[np.float64]:
        """The count of the most frequent value of each group over the sum of the l-th and all rarer ones."""
        first, rest = self._first_and_rest(histogram)
        with np.errstate(divide="ignore"):
            return first / rest

    def _holds(self, histogram: Histogram) -> Flags:
        """Whether each group satisfies the model, compared without rounding."""
        compared = against(*self._first_and_rest(histogram), self.c)
        return compared < 0 if self.strict else compared <= 0

    def values_read(self, column: str, schema: Schema) -> int:
        """The l most frequent ones: the first, and those that the rest leaves out."""
        return self.l

    @property
    def bounds(self) -> SearchBounds:
        """A group with fewer than l different values does not hold."""
        return DistinctValueBounds(self.l, self.sensitive, self.missing_is_a_value)

    def _first_and_rest(self, histogram: Histogram) -> tuple[Counts, Counts]:
        place = np.arange(len(histogram.counts)) - histogram.starts[:-1][histogram.group]
        rest = histogram.totals - histogram.sum(np.where(place < self.l - 1, histogram.descending, 0))
        if self.l > 1:  # a value that all persons of a group share is certain, whatever other values they have
            rest = np.where(histogram.certain, 0, rest)
        return histogram.largest(), rest.astype(np.int64)
