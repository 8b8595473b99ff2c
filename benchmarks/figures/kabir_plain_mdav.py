"""MDAV as it is written down, comparing all records that are left, to time it beside ways that do the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Points = NDArray[np.float64]
Labels = NDArray[np.int32]
Rows = NDArray[np.int64]


@compiled
def plain_mdav(points: Points, k: int) -> Labels:
    """Groups of k in pairs while 2k records are left; fewer than that are one more group, whatever their number."""
    labels, free, group = np.full(len(points), -1, np.int32), np.arange(len(points)), 0
    while len(free) >= 2 * k:
        seed = free[np.argmax(distances(points, free, centre(points, free)))]
        free = take(points, free, seed, k, labels, group)
        other = free[np.argmax(distances(points, free, points[seed]))]
        free = take(points, free, other, k, labels, group + 1)
        group += 2
    labels[free] = group
    return labels


@compiled
def take(points: Points, free: Rows, seed: int, k: int, labels: Labels, group: int) -> Rows:
    """Give a group the k records nearest to a seed, itself among them; who is left."""
    far = distances(points, free, points[seed])
    kth = np.partition(far, k - 1)[k - 1]
    room = k - np.sum(far < kth)
    left, kept = np.empty(len(free) - k, np.int64), 0
    for place, row in enumerate(free):
        tied = far[place] == kth and room > 0
        if far[place] < kth or tied:
            labels[row] = group
            room -= tied
        else:
            left[kept] = row
            kept += 1
    return left


@compiled
def distances(points: Points, free: Rows, place: Points) -> Points:
    """Squared distances of some records from a place."""
    found = np.zeros(len(free))
    for at, row in enumerate(free):
        for column in range(points.shape[1]):
            found[at] += (points[row, column] - place[column]) ** 2
    return found


@compiled
def centre(points: Points, free: Rows) -> Points:
    """The mean of some records."""
    total = np.zeros(points.shape[1])
    for row in free:
        total += points[row]
    return total / len(free)
