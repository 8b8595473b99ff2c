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


@dataclass(frozen=True)
class DistinctValueBounds(SearchBounds):
    """Bounds of groups with at least l different values of a sensitive column, which several models imply."""

    l: int
    sensitive: str = ""

    def least_size(self) -> int:
        """Different values need different records."""
        return self.l

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """Every group needs l - j records outside the j most frequent values, whatever j is."""
        histogram = groups.histogram(groups.schema.one_sensitive(self.sensitive))
        ordered, outside = histogram.descending, groups.sizes.copy()
        room = groups.sizes / least
        for taken in range(self.l):
            room = np.minimum(room, outside / (self.l - taken))
            there = histogram.distinct > taken
            if not there.any():
                break
            outside[there] -= ordered[histogram.starts[:-1][there] + taken]
        return np.maximum(room, LESS_THAN_ONE)


class RunBounds(DistinctValueBounds):
    """The same for models that ask for l different values and nothing else: more records never spoil a run."""

    def latest_starts(self, line: NDArray[np.int32], domain: Domain) -> NDArray[np.int64]:
        """At the last record of the l-th different value, counted back from each record."""
        places = np.arange(len(line))
        last = np.flatnonzero(np.append(line[1:] != line[:-1], True)[: len(line)])
        kind = np.repeat(np.arange(len(last)), np.diff(last, prepend=-1)) - (self.l - 1)
        return np.where(kind < 0, -1, np.minimum(last[np.maximum(kind, 0)], places)) if len(line) else places


@dataclass(frozen=True)
class SizeAndShareBounds(SearchBounds):
    """Bounds of groups of at least k records in which shares of sensitive values are bounded."""

    k: int
    shares: tuple[SearchBounds, ...] = ()

    def least_size(self) -> int:
        """At least k records, or as many as it takes for one of them to be a small enough share."""
        return max(self.k, *(share.least_size() for share in self.shares), 1)

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """What bounding the shares leaves in groups of at least k records."""
        least = max(least, self.k)
        rooms = [share.max_groups(groups, least) for share in self.shares] or [groups.sizes / least]
        return np.asarray(np.minimum.reduce(rooms), dtype=np.float64)
