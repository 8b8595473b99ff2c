"""Bounds by which searches prune: what a model implies for groups before they are judged.

Models return them from `bounds`; Mondrian, clustering, bucketization and specialization read them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.disclosure.groups import Groups, Histogram

LESS_THAN_ONE = 0.5
"""The value of `max_groups` for a group that cannot hold: below 1, and still usable as a divisor."""


class SearchBounds:
    """Bounds that are valid for every model; a model with tighter ones returns a subclass from `bounds`.

    These exclude nothing, so that searches for a model without bounds are complete.
    """

    def least_size(self) -> int:
        """The least size of a group that can hold."""
        return 1

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """For each group, an upper bound on the number of groups of `least` or more records it can be split into."""
        return groups.sizes / least

    def left_out(self, groups: Groups, most: int) -> NDArray[np.int64]:
        """For each group, a number of its records that are left out of every release that only divides these groups.

        At most so many records of the table are left out. Where groups are judged by themselves, none of a group can
        be published that has not enough for a single group that holds.
        """
        return np.where(self.max_groups(groups, self.least_size()) < 1, groups.sizes, 0)

    def safety(self, groups: Groups) -> NDArray[np.float64] | None:
        """The privacy of each group, by which top-down searches measure the cost of a step; higher is safer.

        None means that the level of the model is used.
        """
        return None

    def latest_starts(self, line: NDArray[np.int32], domain: Domain) -> NDArray[np.int64] | None:
        """For records sorted by sensitive value, the start of the shortest run that ends at each record and holds.

        `line` has the codes of the values; -1 means that no run that ends there holds. This requires a model for which
        every longer run holds too; other models return None.
        """
        return None


@dataclass(frozen=True)
class LeastSize(SearchBounds):
    """The bounds of a model that implies a least size of groups and nothing else."""

    records: int

    def least_size(self) -> int:
        """The given number of records."""
        return self.records


@dataclass(frozen=True)
class DistinctValueBounds(SearchBounds):
    """Bounds of models that imply at least l different values of a sensitive column in every group.

    If a missing value is none of them, only the known values count.
    """

    l: int
    sensitive: str = ""
    missing_is_a_value: bool = True

    def least_size(self) -> int:
        """Different values need different records."""
        return self.l

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """For every j < l, a group needs l - j records outside the j most frequent values."""
        column = groups.schema.one_sensitive(self.sensitive)
        histogram = groups.histogram(column)
        most = groups.sizes / least
        if self.missing_is_a_value:
            return np.maximum(self._most(histogram, groups.sizes, most), LESS_THAN_ONE)
        counted, known = histogram.of_known(groups.domain(column))
        found = np.full(len(groups), LESS_THAN_ONE)  # a group without a known value does not hold
        found[known] = np.maximum(self._most(counted, counted.sizes, most[known]), LESS_THAN_ONE)
        return found

    def _most(self, histogram: Histogram, sizes: NDArray[np.int64], most: NDArray[np.float64]) -> NDArray[np.float64]:
        """The bound for groups of these sizes, at most the given one."""
        ordered, outside = histogram.descending, sizes.copy()
        for taken in range(self.l):
            most = np.minimum(most, outside / (self.l - taken))
            there = histogram.distinct > taken
            if not there.any():
                break
            # A group has at most j of its l different values among the
            # j most frequent ones, so l - j records come from outside.
            outside[there] -= ordered[histogram.starts[:-1][there] + taken]
        return most


class RunBounds(DistinctValueBounds):
    """Bounds of models that require l different values and nothing else: every longer run holds too."""

    def latest_starts(self, line: NDArray[np.int32], domain: Domain) -> NDArray[np.int64]:
        """The last record of the l-th different value, counted backwards from each record.

        Missing values are at the end of the line. If they are no values, a run that ends there holds if it has l
        different known values.
        """
        known = int((line < domain.present).sum())
        if not self.missing_is_a_value and known < len(line):
            starts = self.latest_starts(line[:known], domain)
            return np.append(starts, np.full(len(line) - known, starts[-1] if known else -1))
        places = np.arange(len(line))
        # Equal values are adjacent in the line. A run with l different values must begin at the latest at the last
        # record of the (l - 1)-th value before the current one.
        last = np.flatnonzero(np.append(line[1:] != line[:-1], True)[: len(line)])
        kind = np.repeat(np.arange(len(last)), np.diff(last, prepend=-1)) - (self.l - 1)
        return np.where(kind < 0, -1, np.minimum(last[np.maximum(kind, 0)], places)) if len(line) else places


@dataclass(frozen=True)
class SizeAndShareBounds(SearchBounds):
    """Bounds of models that require k records in a group and bound the shares of sensitive values."""

    k: int
    shares: tuple[SearchBounds, ...] = ()

    def least_size(self) -> int:
        """At least k records, and as many as the bounds on shares need."""
        return max(self.k, *(share.least_size() for share in self.shares), 1)

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """The smallest bound that follows from the shares in groups of at least k records."""
        least = max(least, self.k)
        bounds = [share.max_groups(groups, least) for share in self.shares] or [groups.sizes / least]
        return np.asarray(np.minimum.reduce(bounds), dtype=np.float64)
