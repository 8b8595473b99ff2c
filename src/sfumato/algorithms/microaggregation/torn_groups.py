"""What is torn apart by working block after block, put together again as far as that pays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Labels = NDArray[np.int32]


def regrouped(points: Points, labels: Labels, size: int, partition: Callable[[Points], Labels]) -> Labels:
    """Dissolve the costliest groups, of about `size` points together, and let `partition` group these points again.

    Blocks cut through clusters, and the few points left over on both sides of a cut end in groups with strangers: a few
    groups that cost as much as all others. Grouped again among themselves they find each other. Where that does not
    lower the squared error, as when the costliest groups are just outliers, everything stays as it was.

    >>> points = np.array([[0.0], [5.0], [0.1], [5.1], [9.0], [9.1]])
    >>> regrouped(points, np.array([0, 0, 1, 1, 2, 2]), 4, lambda torn: (torn[:, 0] > 1).astype(np.int32)).tolist()
    [1, 2, 1, 2, 0, 0]
    """
    costs = squared_errors(points, labels)
    costliest = np.argsort(-costs, kind="stable")
    dissolved = np.zeros(len(costs), dtype=np.bool_)
    dissolved[costliest[np.cumsum(np.bincount(labels)[costliest]) <= size]] = True
    rows = np.flatnonzero(dissolved[labels])
    if len(rows) == 0:
        return labels
    torn = np.ascontiguousarray(points[rows])
    again = partition(torn)
    if squared_errors(torn, again).sum() >= costs[dissolved].sum():
        return labels
    kept = np.cumsum(~dissolved) - 1
    made: Labels = kept[labels].astype(np.int32)
    made[rows] = again + int((~dissolved).sum())
    return made


def squared_errors(points: Points, labels: Labels) -> Points:
    """The squared distances of every group's points from their mean, added up."""
    sizes, total = np.bincount(labels), np.zeros(int(labels.max()) + 1)
    for values in points.T:
        means = np.bincount(labels, values) / sizes
        total += np.bincount(labels, (values - means[labels]) ** 2)
    return total
