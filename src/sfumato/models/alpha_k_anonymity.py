"""(alpha,k)-anonymity: groups of at least k records in which no sensitive value is too frequent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.disclosure.groups import Groups
from sfumato.kernels.arrays import Flags
from sfumato.models.confidence_bounding import ConfidenceBounding
from sfumato.models.group_model import GroupModel, quasi_setting, sensitive_setting
from sfumato.models.search_bounds import SearchBounds, SizeAndShareBounds
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class AlphaKAnonymity(GroupModel):
    """Every group has at least k records, and no sensitive value makes up more than the share alpha of it.

    It combines k-anonymity with confidence bounding of every value. The level is the largest share; a group that is
    too small fails whatever its level.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> groups = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}).groups()
    >>> AlphaKAnonymity(alpha=0.75, k=3).holds(groups).tolist()
    [True, True]
    >>> AlphaKAnonymity(alpha=0.74, k=3).holds(groups).tolist()
    [True, False]

    References: Wong, Li, Fu and Wang (2006); book, section 2.2.5.
    """

    about_secrets = False
    guards_against = frozenset({"record linkage", "attribute linkage"})
    better = "lower"

    alpha: float = param(doc="largest share of a group that may have the same sensitive value", above=0, at_most=1)
    k: int = param(doc="fewest records in a group", at_least=1)
    sensitive: str = sensitive_setting()
    quasi: str = quasi_setting()

    @property
    def required(self) -> float:
        """At most the share alpha."""
        return self.alpha

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The share of the most frequent value in each group."""
        return self._shares.level(groups)

    def holds(self, groups: Groups) -> Flags:
        """Whether each group has k records and no value above the share alpha."""
        return (groups.sizes >= self.k) & self._shares.holds(groups)

    def values_read(self, column: str, schema: Schema) -> int:
        """The most frequent one."""
        return 1

    def most_confidence(self, share: float) -> float:
        """At most alpha."""
        return self.alpha

    @property
    def bounds(self) -> SearchBounds:
        """Groups have at least k records, and the bound on shares limits how many there can be."""
        return SizeAndShareBounds(self.k, (self._shares.bounds,))

    @cached_property
    def _shares(self) -> ConfidenceBounding:
        return ConfidenceBounding(h=self.alpha, sensitive=self.sensitive)
