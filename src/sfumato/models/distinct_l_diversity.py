"""Distinct l-diversity: every group has several different sensitive values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.disclosure.groups import Histogram
from sfumato.models.diversity_model import MISSING_DOC, DiversityModel, Missing
from sfumato.models.group_model import quasi_setting, sensitive_setting
from sfumato.models.search_bounds import RunBounds, SearchBounds
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class DistinctLDiversity(DiversityModel):
    """Every group has at least l different values of the sensitive column.

    An attacker who finds a person's group still has l possible values, and every group has at least l records. The
    frequencies of the values are not bounded: one of them may be nearly certain. A missing value counts as a value;
    with `missing = "no value"` every group needs l different known values. If persons have several records, a group in
    which all persons share a value has level 1. For a minimum size as well (p-sensitive k-anonymity), join it with
    k-anonymity by `&`.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> groups = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}).groups()
    >>> DistinctLDiversity(l=2).measure(groups)
    2.0

    References: Machanavajjhala et al. (2007); book, section 2.2.1.
    """

    guards_against = frozenset({"record linkage", "attribute linkage"})

    l: int = param(doc="fewest different sensitive values in a group", at_least=1)
    sensitive: str = sensitive_setting()
    quasi: str = quasi_setting()
    missing: Missing = param("value", doc=MISSING_DOC)

    @property
    def required(self) -> float:
        """At least l different values."""
        return self.l

    def _level(self, histogram: Histogram) -> NDArray[np.float64]:
        """The number of different values of each group; 1 if all persons of a group share a value."""
        return np.where(histogram.certain, 1, histogram.distinct).astype(np.float64)

    def values_read(self, column: str, schema: Schema) -> int:
        """The l most frequent ones: whether there are l of them, and how many records have others."""
        return self.l

    @property
    def bounds(self) -> SearchBounds:
        """Different values need different records."""
        return RunBounds(self.l, self.sensitive, self.missing_is_a_value)
