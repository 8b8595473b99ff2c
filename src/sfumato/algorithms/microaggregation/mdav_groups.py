"""Groups around records far from the mean, in pairs on opposite sides: MDAV and its two relatives.

What they differ in is the end, when too few records are left for another pair. Everything else is one loop over a tree
of the free records, which finds exactly the groups that comparing all records would find.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.leftovers import with_leftovers

Points = NDArray[np.float64]
Labels = NDArray[np.int32]
Rows = NDArray[np.int64]
Ending = Literal["mdav", "mdav_1", "generic"]


def mdav_groups(points: Points, k: int, *, ending: Ending) -> Labels:
    """Groups of at least k points, numbered in the order in which they are made.

    "mdav": pairs while 2k points are free, then one more group, or fewer than k points to the groups with the nearest
    means. "mdav_1": the same, but the last group takes only k points and the others go to the nearest. "generic": pairs
    while 3k points are free, then one or two groups of all others, so that no group has 2k points.

    >>> mdav_groups(np.array([[0.0], [10.0], [1.0], [11.0], [4.0]]), 2, ending="mdav").tolist()
    [1, 0, 1, 0, 1]
    """
    if len(points) < 2 * k:
        return np.zeros(len(points), dtype=np.int32)
    from sfumato.algorithms.microaggregation.loops.mdav import pairs_of_groups

    labels = pairs_of_groups(points, k, 3 * k if ending == "generic" else 2 * k)
    free = np.flatnonzero(labels < 0)
    if len(free) >= (2 * k if ending == "generic" else k) and ending != "mdav":
        members = free[_outermost_group(points[free], k)]
        labels[members] = labels.max() + 1
        free = np.flatnonzero(labels < 0)
    if len(free) >= k and ending != "mdav_1":
        labels[free] = labels.max() + 1
    return with_leftovers(points, labels)


def _outermost_group(points: Points, k: int) -> Rows:
    """The point furthest from the mean and the k - 1 nearest to it."""
    from sfumato.kernels.neighbours.exact_sums import exact_sums

    seed = int(np.argmax(_squared_distances(points, exact_sums(points)[0] / len(points))))
    distances = _squared_distances(points, points[seed])
    distances[seed] = -1.0  # before its twins
    return np.argsort(distances, kind="stable")[:k]


def _squared_distances(points: Points, place: Points) -> Points:
    """Summed over the columns from first to last, as the kernels do it, so that ties are the same everywhere."""
    total = np.zeros(len(points))
    for column in range(points.shape[1]):
        total += (points[:, column] - place[column]) ** 2
    return total
