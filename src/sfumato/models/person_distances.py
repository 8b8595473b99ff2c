"""The distance of persons from each value, by which t-closeness compares groups of persons who have several values.

The distribution of all values of all persons hides a value that most persons of a group have among many others. So each
value is looked at alone. A person who has it is at distance 0 from it; another person is at the mean distance of the
other values of the group. The mean over the persons of a group is

    (1 - share of persons with the value) x (mean distance of the other values from it),

and it is compared with the same mean in the whole table. By equal distance every other value is at distance 1, so that
the shares of persons with a value are compared. If every person has one value, the means are the mean distances of the
two distributions from the value. They differ by no more than the earth mover's distance, because what is moved over a
distance comes nearer to a value by no more than this distance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.exact_ratios import WIDEST, Whole
from sfumato.disclosure.groups import Counts, Histogram

_CELLS = 2**16
"""Cells of a matrix that are computed at a time; they fit into the cache."""

_NEAR = 1e-12
"""Floating-point results of quotients below 1 are off by much less than this."""


@dataclass(frozen=True, eq=False)
class Ground:
    """Distances of the values that occur (`codes`), in whole steps, of which `most` are a distance of 1.

    `steps` takes rows of counts of these values and gives, for each row and each value, the sum of the steps from all
    counted values to it.
    """

    codes: NDArray[np.int64]
    most: int
    steps: Callable[[Counts], Counts]


def ordered_ground(whole: Counts) -> Ground:
    """The steps between values that occur, which are given by their counts in the whole table.

    >>> ordered_ground(np.array([5, 0, 5, 5])).steps(np.array([[2, 0, 1]])).tolist()
    [[2, 3, 4]]
    """
    codes = np.flatnonzero(whole)

    def steps(counts: Counts) -> Counts:
        places = np.arange(counts.shape[1])
        upto, moved = np.cumsum(counts, axis=1), np.cumsum(counts * places, axis=1)
        # The sum of |i - j| c_j splits at i: i times the count up to i minus
        # their places, plus the places behind i minus i times their count.
        return np.asarray(places * (2 * upto - upto[:, -1:]) + moved[:, -1:] - 2 * moved)

    return Ground(codes, max(len(codes) - 1, 1), steps)


def hierarchical_ground(whole: Counts, levels: NDArray[np.integer]) -> Ground:
    """The levels of a taxonomy below its root on which two values are in different nodes.

    >>> levels = np.array([[0, 1, 2], [3, 3, 2]])
    >>> hierarchical_ground(np.array([5, 5, 5]), levels).steps(np.array([[2, 0, 1]])).tolist()
    [[2, 4, 4]]
    """
    codes = np.flatnonzero(whole)
    new = [np.diff(nodes[codes], prepend=-1) != 0 for nodes in levels]

    def steps(counts: Counts) -> Counts:
        outside = np.zeros_like(counts)
        for first in new:
            inside = np.add.reduceat(counts, np.flatnonzero(first), axis=1)[:, np.cumsum(first) - 1]
            outside += counts.sum(axis=1, keepdims=True) - inside
        return outside

    return Ground(codes, max(len(levels), 1), steps)


def share_differences(histogram: Histogram, persons: int) -> tuple[Whole, Whole]:
    """By how much the share of persons with a value differs from that in the whole table, at most over all values.

    The results are numerators and denominators, one for each group. `persons` is the number of persons of the table.
    """
    kind = np.int64 if int(histogram.sizes.max(initial=0)) * persons < WIDEST else object
    sizes, counts, whole = (part.astype(kind) for part in (histogram.sizes, histogram.counts, histogram.whole))
    if not len(sizes):
        return sizes, sizes
    apart = np.abs(counts * persons - whole[histogram.values] * sizes[histogram.group])
    most = np.maximum.reduceat(apart, histogram.starts[:-1])
    return np.maximum(most, _most_frequent_absent(histogram).astype(kind) * sizes), sizes * persons


def _most_frequent_absent(histogram: Histogram) -> Counts:
    """For each group, the count in the whole table of the most frequent value that the group does not have."""
    order = np.argsort(-histogram.whole, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    # For each group, the ranks of its values in ascending order. Where the n-th rank is n, all more frequent values
    # are present, so the number of such places is the rank of the first absent value.
    ranks = np.sort(histogram.group * len(order) + rank[histogram.values]) - histogram.group * len(order)
    place = np.arange(len(ranks)) - histogram.starts[histogram.group]
    present = histogram.sum((ranks == place).astype(np.int64))  # ranks are in order, so these are the first ones
    return np.asarray(np.append(histogram.whole[order], 0)[present])


def distance_differences(histogram: Histogram, persons: int, ground: Ground) -> tuple[Whole, Whole]:
    """By how much the mean distance of persons from a value differs from that in the whole table, at most.

    The results are numerators and denominators, one for each group. All values are compared in floating point, and
    those that may be the largest are computed in whole numbers.
    """
    work, scale = np.zeros(len(histogram.sizes), dtype=object), np.ones(len(histogram.sizes), dtype=object)
    whole = _Distances.of(histogram.whole[np.newaxis, ground.codes], np.array([persons]), ground)
    height = max(1, _CELLS // max(len(ground.codes), 1))
    for start in range(0, len(histogram.sizes), height):
        stop = min(start + height, len(histogram.sizes))
        some = _Distances.of(histogram.dense(start, stop)[:, ground.codes], histogram.sizes[start:stop], ground)
        apart = np.abs(some.means - whole.means)
        # Only candidates for the maximum are computed exactly,
        # which keeps Python integers out of the bulk of the work.
        for row, value in zip(*np.nonzero(apart >= apart.max(axis=1, keepdims=True) - _NEAR), strict=True):
            (one, of_one), (other, of_other) = some.exact(row, value), whole.exact(0, value)
            found, out_of = abs(one * of_other - other * of_one), of_one * of_other
            if found * scale[start + row] > work[start + row] * out_of:
                work[start + row], scale[start + row] = found, out_of
    return work, scale


@dataclass(frozen=True, eq=False)
class _Distances:
    """The mean distance of the persons of each group from each value: `away` persons times `steps`, in parts."""

    away: Counts
    steps: Counts
    sizes: Counts
    others: Counts
    most: int

    @classmethod
    def of(cls, counts: Counts, sizes: Counts, ground: Ground) -> _Distances:
        """From the number of persons with each value in each group, and the number of its persons."""
        others = counts.sum(axis=1, keepdims=True) - counts
        sizes = sizes[:, np.newaxis]
        return cls(sizes - counts, ground.steps(counts), sizes, np.maximum(others, 1), ground.most)

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean distances, in floating point."""
        return np.asarray((self.away / self.sizes) * (self.steps / self.others) / self.most, dtype=np.float64)

    def exact(self, row: int, value: int) -> tuple[int, int]:
        """One of them, as numerator and denominator."""
        work = int(self.away[row, value]) * int(self.steps[row, value])
        return work, int(self.sizes[row, 0]) * int(self.others[row, value]) * self.most
