"""What a search may conclude from a model without judging a group: numbers by which algorithms prune."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.disclosure.groups import Groups

LESS_THAN_ONE = 0.5
"""The most groups that a group which cannot hold is split into: less than one, and still a number one can divide by."""


class SearchBounds:
    """Bounds that hold for every table. A model that knows better ones is derived from this class, too.

    As they stand the bounds exclude nothing, so a model without bounds of its own is searched in full.
    """

    @property
    def bounds(self) -> SearchBounds:
        """The bounds of a model that knows its own: its own."""
        return self

    def least_size(self) -> int:
        """No group with fewer records can hold."""
        return 1

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """At most this many groups of `least` records or more that hold can each group be split into."""
        return groups.sizes / least

    def latest_starts(self, line: NDArray[np.int32], domain: Domain) -> NDArray[np.int64] | None:
        """Of records in the order of their secrets: where the shortest run begins that ends at each of them and holds.

        `line` has the codes of the secrets; -1 means that no run that ends there holds. A model has an answer if more
        records never spoil a run, so that every longer run holds too; most have none.
        """
        return None
