"""Centroids of groups of values, for all groups at once.

Functions of numbers take one number and one group per record, and return one number per group. Groups are numbered from
0 without gaps. `microaggregate` is the caller.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.taxonomies.taxonomy import Taxonomy

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]
PerGroup = Callable[[Numbers, Places], Numbers]

NAMES = ("mean", "median", "mode", "midrange", "geometric_mean")


def mean(numbers: Numbers, groups: Places) -> Numbers:
    """The arithmetic mean, which minimizes squared deviations.

    >>> mean(np.array([1.0, 2.0, 6.0, 9.0]), np.array([0, 0, 0, 1])).tolist()
    [3.0, 9.0]
    """
    return np.asarray(np.bincount(groups, weights=numbers) / np.bincount(groups))


def median(numbers: Numbers, groups: Places) -> Numbers:
    """The middle number, or the mean of the two in the middle, which minimizes absolute deviations.

    >>> median(np.array([1.0, 2.0, 6.0, 9.0]), np.array([0, 0, 0, 1])).tolist()
    [2.0, 9.0]
    """
    ordered, start, size = _sort_by_group(numbers, groups)
    return np.asarray((ordered[start + (size - 1) // 2] + ordered[start + size // 2]) / 2)


def mode(numbers: Numbers, groups: Places) -> Numbers:
    """The most frequent number; the smallest one if there are several.

    >>> mode(np.array([5.0, 1.0, 5.0, 9.0]), np.array([0, 0, 0, 1])).tolist()
    [5.0, 9.0]
    """
    ordered, _, size = _sort_by_group(numbers, groups)
    owner = np.repeat(np.arange(len(size)), size)
    run = np.flatnonzero(np.append(True, (np.diff(ordered) != 0) | (np.diff(owner) != 0)))
    length = np.diff(np.append(run, len(ordered)))
    # The longest run of each group first; of equally long ones the first, which has the smallest number.
    best = np.lexsort((run, -length, owner[run]))
    _, first = np.unique(owner[run][best], return_index=True)
    return np.asarray(ordered[run[best[first]]])


def midrange(numbers: Numbers, groups: Places) -> Numbers:
    """The midpoint of the smallest and the largest number.

    >>> midrange(np.array([1.0, 2.0, 6.0, 9.0]), np.array([0, 0, 0, 1])).tolist()
    [3.5, 9.0]
    """
    ordered, start, size = _sort_by_group(numbers, groups)
    return np.asarray((ordered[start] + ordered[start + size - 1]) / 2)


def geometric_mean(numbers: Numbers, groups: Places) -> Numbers:
    """The geometric mean, for numbers above 0 such as rates and incomes.

    >>> geometric_mean(np.array([1.0, 4.0, 16.0, 9.0]), np.array([0, 0, 0, 1])).round(6).tolist()
    [4.0, 9.0]
    """
    if (numbers <= 0).any():
        raise DataError("a geometric mean needs numbers above 0, and some are not; use the mean or the median.")
    return np.asarray(np.exp(mean(np.log(numbers), groups)))


def each(function: Callable[[Numbers], float]) -> PerGroup:
    """Apply any function of the numbers of one group to all groups, one after the other."""

    def per_group(numbers: Numbers, groups: Places) -> Numbers:
        ordered, start, _ = _sort_by_group(numbers, groups)
        return np.array([float(function(part)) for part in np.split(ordered, start[1:])], dtype=np.float64)

    return per_group


def histograms(codes: NDArray[np.int32], groups: NDArray[np.int32], values: int) -> NDArray[np.int64]:
    """How often each value occurs in each group."""
    how_many = int(groups.max()) + 1
    cells = np.bincount(groups.astype(np.int64) * values + codes, minlength=how_many * values)
    return np.asarray(cells.reshape(how_many, values), dtype=np.int64)


def typical(counts: NDArray[np.int64], taxonomy: Taxonomy | None, category: str) -> NDArray[np.int32]:
    """The value that represents each group: the most frequent one, or the median.

    With a taxonomy, the median is the value with the smallest total distance to all others, where the distance of two
    values is the level of their lowest common node; without one, it is the value in the middle of the given order. Of
    several, the first.
    """
    if category == "mode":
        return np.asarray(counts.argmax(axis=1), dtype=np.int32)
    if taxonomy is None:
        half = (counts.sum(axis=1) + 1) // 2
        return np.asarray((counts.cumsum(axis=1) >= half[:, None]).argmax(axis=1), dtype=np.int32)
    return np.asarray((counts @ climbs(taxonomy)[: counts.shape[1], : counts.shape[1]]).argmin(axis=1), dtype=np.int32)


def climbs(taxonomy: Taxonomy) -> NDArray[np.int64]:
    """For every two values, the level of their lowest common node in the taxonomy."""
    values = len(taxonomy.domain)
    lo, hi = np.triu_indices(values)
    level = taxonomy.level_of()[taxonomy.lowest_common(lo.astype(np.int32), hi.astype(np.int32))]
    found = np.zeros((values, values), dtype=np.int64)
    found[lo, hi] = found[hi, lo] = level
    return found


def _sort_by_group(numbers: Numbers, groups: Places) -> tuple[Numbers, Places, Places]:
    """The numbers sorted by group and size, and the start and the size of each group."""
    size = np.bincount(groups)
    start = np.cumsum(size) - size
    return numbers[np.lexsort((numbers, groups))], start, size
