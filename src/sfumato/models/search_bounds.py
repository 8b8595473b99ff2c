"""Bounds by which searches prune: what follows from a model about groups that nobody has judged yet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.disclosure.groups import Groups

LESS_THAN_ONE = 0.5
"""The most groups that a group which cannot hold is split into: below one, and still usable as a divisor."""


class SearchBounds:
    """Bounds that are true of every table; a model that knows better ones returns a subclass from `bounds`.

    As they stand they exclude nothing, so a model without bounds of its own is searched in full.
    """

    def least_size(self) -> int:
        """No group with fewer records can hold."""
        return 1

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """At most this many groups of `least` records or more that hold can each group be split into."""
        return groups.sizes / least

    def safety(self, groups: Groups) -> NDArray[np.float64] | None:
        """What top-down searches weigh as the privacy that a step costs, more being safer; None means the level."""
        return None

    def latest_starts(self, line: NDArray[np.int32], domain: Domain) -> NDArray[np.int64] | None:
        """Of records sorted by their sensitive values: the start of the shortest run that ends at each and holds.

        `line` has the codes of the values; -1 means that no run that ends there holds. Only a model for which more
        records never spoil a run can answer, because then every longer run holds too; the others return None.
        """
        return None


@dataclass(frozen=True)
class LeastSize(SearchBounds):
    """The bounds of a model that is known to need groups of some size, and nothing more."""

    records: int

    def least_size(self) -> int:
        """That many records."""
        return self.records
