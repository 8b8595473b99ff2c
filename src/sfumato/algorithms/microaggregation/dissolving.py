"""Functions that dissolve groups and place their records elsewhere, if that lowers the squared error.

`dissolve_groups` is the second stage of DBA, MDAV-2 and TFRP. `regroup_costliest` repairs groups at the borders of
blocks of rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def dissolve_groups(points: Points, labels: Labels, order: NDArray[np.int32], *, most: int | None = None) -> Labels:
    """Try to dissolve every group in this order, and keep what lowers the squared error; the labels have no gaps.

    To dissolve a group, each of its records joins the other group with the nearest centroid; centroids do not change
    while records join. The result is kept if the total squared error falls. No group takes in records beyond `most`.
    """
    from sfumato.algorithms.microaggregation.loops.dissolving import dissolve

    found = dissolve(points, labels, order.astype(np.int32), len(points) if most is None else most)
    return np.unique(found, return_inverse=True)[1].astype(np.int32)


def heaviest_first(points: Points, labels: Labels) -> NDArray[np.int32]:
    """The groups by their squared error, largest first; groups with equal errors by their number."""
    from sfumato.algorithms.microaggregation.loops.dissolving import clusters_of

    return np.argsort(-clusters_of(points, labels).losses, kind="stable").astype(np.int32)


def latest_first(labels: Labels) -> NDArray[np.int32]:
    """The groups from the highest number, which was made last, to the lowest."""
    return np.arange(int(labels.max()), -1, -1, dtype=np.int32)


def regroup_costliest(points: Points, labels: Labels, size: int, partition: Callable[[Points], Labels]) -> Labels:
    """Dissolve the groups with the largest squared errors, about `size` points in total, and group these points again.

    The borders of blocks cut through clusters. The few points left over on both sides of a border end in groups with
    distant points, and these few groups can cost as much as all others. `partition` groups their points again among
    themselves. If that does not lower the squared error, for instance because the points are outliers, the labels are
    returned as they were.

    >>> points = np.array([[0.0], [5.0], [0.1], [5.1], [9.0], [9.1]])
    >>> by_size = lambda chosen: (chosen[:, 0] > 1).astype(np.int32)
    >>> regroup_costliest(points, np.array([0, 0, 1, 1, 2, 2]), 4, by_size).tolist()
    [1, 2, 1, 2, 0, 0]
    """
    costs = squared_errors(points, labels)
    costliest = np.argsort(-costs, kind="stable")
    chosen = np.zeros(len(costs), dtype=np.bool_)
    # As many of the costliest groups as have `size` points together.
    chosen[costliest[np.cumsum(np.bincount(labels)[costliest]) <= size]] = True
    rows = np.flatnonzero(chosen[labels])
    if len(rows) == 0:
        return labels
    apart = np.ascontiguousarray(points[rows])
    again = partition(apart)
    if squared_errors(apart, again).sum() >= costs[chosen].sum():
        return labels
    # The groups that stay are renumbered without gaps, and the new groups follow them.
    kept = np.cumsum(~chosen) - 1
    made: Labels = kept[labels].astype(np.int32)
    made[rows] = again + int((~chosen).sum())
    return made


def squared_errors(points: Points, labels: Labels) -> Points:
    """The squared error (SSE) of every group: the squared distances of its points from their mean, summed.

    A number without points has the error 0.
    """
    sizes = np.bincount(labels)
    total = np.zeros(len(sizes))
    for values in points.T:
        means = np.bincount(labels, weights=values) / np.maximum(sizes, 1)
        total += np.bincount(labels, weights=(values - means[labels]) ** 2)
    return total
