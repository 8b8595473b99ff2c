"""Loops of systematic microaggregation and clustering: all groups grow together, each record joins at the least cost.

`open_` has the groups that can take in records. The cost of a group is abandoned as soon as it exceeds the best one so
far. A record is compared with all open groups, so the loops take at most O(n * (n / k) * columns), and with medians
O(n * k * columns) more to keep the values of each group sorted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]
Counts = NDArray[np.int64]


@compiled
def grow_by_squares(points: Points, k: int, arrivals: Numbers) -> Numbers:
    """Labels after all records joined in this order: n // k seeds, then records up to k per group, then the rest.

    The squared error of a group of N records grows by N / (N + 1) times the squared distance of a record from its mean.
    """
    groups = len(points) // k
    labels, sizes = np.empty(len(points), dtype=np.int32), np.zeros(groups, dtype=np.int64)
    sums, means = np.zeros((groups, points.shape[1])), np.zeros((groups, points.shape[1]))
    open_ = np.arange(groups)
    for turn in range(len(points)):
        record = arrivals[turn]
        # all groups have k records; the last few records may join any of them
        if turn == groups * k:
            open_ = np.arange(groups)
        # the first records are the seeds, one for each group
        at = turn if turn < groups else _cheapest_by_squares(points[record], means, sizes, open_)
        group = open_[at]
        labels[record] = group
        sizes[group] += 1
        sums[group] += points[record]
        means[group] = sums[group] / sizes[group]
        # a full group is closed; the others keep their order, so that of equal costs the lowest group wins
        if sizes[group] == k and turn < groups * k and k > 1:
            open_ = np.delete(open_, at)
    return labels


@compiled
def _cheapest_by_squares(point: Points, means: Points, sizes: Counts, open_: Counts) -> int:
    """The position in `open_` of the group whose squared error grows least; of several the first."""
    best, found = np.inf, 0
    for at in range(len(open_)):
        group = open_[at]
        # the growth of the squared error is the squared distance from the mean times this weight
        weight, total = sizes[group] / (sizes[group] + 1), 0.0
        for column in range(len(point)):
            apart = point[column] - means[group, column]
            total += apart * apart
            # the sum only grows, so this group cannot become the cheapest
            if total * weight >= best:
                break
        if total * weight < best:
            best, found = total * weight, at
    return found


@compiled
def grow_by_medians(points: Points, k: int, arrivals: Numbers) -> Numbers:
    """The same for the sum of absolute deviations from the median of every column.

    That sum grows by the distance of the record from the interval of the two middle values (from the middle value where
    the number is odd), because the sum over the old records is constant and least in this interval. `ordered` has the
    sorted values of every group and column, and `low` and `high` their two middle values.
    """
    groups, columns = len(points) // k, points.shape[1]
    labels, sizes = np.empty(len(points), dtype=np.int32), np.zeros(groups, dtype=np.int64)
    ordered = np.empty((groups, columns, 2 * k))
    low, high = np.zeros((groups, columns)), np.zeros((groups, columns))
    open_ = np.arange(groups)
    for turn in range(len(points)):
        record = arrivals[turn]
        # all groups have k records; the last few records may join any of them
        if turn == groups * k:
            open_ = np.arange(groups)
        at = turn if turn < groups else _cheapest_by_medians(points[record], low, high, open_)
        group = open_[at]
        labels[record] = group
        _insert(ordered[group], sizes[group], points[record])
        sizes[group] += 1
        # the two middle values, which are equal if the number is odd
        low[group] = ordered[group, :, (sizes[group] - 1) // 2]
        high[group] = ordered[group, :, sizes[group] // 2]
        if sizes[group] == k and turn < groups * k and k > 1:
            open_ = np.delete(open_, at)
    return labels


@compiled
def _cheapest_by_medians(point: Points, low: Points, high: Points, open_: Counts) -> int:
    """The position in `open_` of the group whose deviations grow least; of several the first."""
    best, found = np.inf, 0
    for at in range(len(open_)):
        group, total = open_[at], 0.0
        for column in range(len(point)):
            # 0 inside the interval of the two middle values, where a further value adds nothing
            total += max(low[group, column] - point[column], point[column] - high[group, column], 0.0)
            if total >= best:
                break
        if total < best:
            best, found = total, at
    return found


@compiled
def _insert(ordered: Points, size: int, point: Points) -> None:
    """Insert a point into the sorted values of every column (insertion sort; groups have fewer than 2k records)."""
    for column in range(len(point)):
        at = size
        while at > 0 and ordered[column, at - 1] > point[column]:
            ordered[column, at] = ordered[column, at - 1]
            at -= 1
        ordered[column, at] = point[column]
