"""k-anonymity: every record is indistinguishable from at least k - 1 others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.groups import Groups
from sfumato.models.group_model import GroupModel, quasi_setting
from sfumato.models.search_bounds import LeastSize, SearchBounds
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class KAnonymity(GroupModel):
    """Every record is indistinguishable from at least k - 1 others by the quasi columns.

    A person who is known to be in the table can be linked to a record with a probability of at most 1/k. For several
    quasi-identifiers, each with its own k, join several models with `&`.

    >>> from sfumato.datasets import hospital
    >>> KAnonymity(k=3).measure(Groups.of(hospital(), ["Sex"]))
    3.0

    References: Samarati and Sweeney (1998); book, section 2.1.1, and Example 2.3 for several quasi-identifiers.
    """

    about_secrets = False
    guards_against = frozenset({"record linkage"})

    k: int = param(doc="fewest records in a group", at_least=1)
    quasi: str = quasi_setting()

    @property
    def required(self) -> float:
        """At least k records."""
        return self.k

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The size of each group."""
        return groups.sizes.astype(np.float64)

    @property
    def bounds(self) -> SearchBounds:
        """A group of fewer than k records never holds."""
        return LeastSize(self.k)
