"""Trees of at least k points, grown by linking every small tree to the nearest point outside it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.nearest_centroid import distance_below

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


@compiled
def grow_forest(points: Points, k: int, order: Numbers) -> Numbers:
    """The record that every record hangs on, -1 for the top of a tree; every tree has k records, if there are so many.

    At first everybody is a tree. The tops of trees that are too small stand in a queue, at first in the given order.
    The first of them is linked to the nearest record of another tree, and the top of that one goes to the end of the
    queue if it is still too small.
    """
    n = len(points)
    above, size = np.full(n, -1, dtype=np.int32), np.ones(n, dtype=np.int64)
    top = np.arange(n).astype(np.int32)
    queue, first, last = np.empty(2 * n, dtype=np.int32), 0, n
    queue[:n] = order
    while first < last:
        record = queue[first]
        first += 1
        if above[record] >= 0 or size[record] >= k or size[record] == n:
            continue
        near = _nearest_outside(points, top, record)
        above[record] = near
        other = top_of(top, near)
        top[record] = other
        size[other] += size[record]
        if size[other] < k:
            queue[last] = other
            last += 1
    return above


@compiled
def top_of(top: Numbers, record: int) -> int:
    """The top of a record's tree; the way there gets shorter each time."""
    while top[record] != record:
        top[record] = top[top[record]]
        record = top[record]
    return record


@compiled
def _nearest_outside(points: Points, top: Numbers, record: int) -> int:
    """The nearest record of another tree, of several the lowest."""
    best, found = np.inf, -1
    for other in range(len(points)):
        distance = distance_below(points[record], points[other], best)
        if distance < best and top_of(top, other) != record:
            best, found = distance, other
    return found
