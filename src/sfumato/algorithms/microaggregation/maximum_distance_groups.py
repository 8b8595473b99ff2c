"""Groups around the two records furthest from each other, and two ways to end."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.leftovers import with_leftovers

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


Leader = Literal["outermost", "lowest"]


def maximum_distance_groups(points: Points, k: int, leader: Leader = "outermost") -> Labels:
    """Pairs of groups while 2k records are left, then one more group of k to 2k - 1; fewer join the nearest groups.

    The `leader` is the one of the two furthest records that takes its nearest first.

    >>> maximum_distance_groups(np.array([[0.0], [10.0], [1.0], [11.0], [4.0]]), 2).tolist()
    [1, 0, 1, 0, 1]
    """
    if len(points) < 2 * k:
        return np.zeros(len(points), dtype=np.int32)
    from sfumato.algorithms.microaggregation.loops.maximum_distance import farthest_pairs

    labels = farthest_pairs(points, k, outermost=leader == "outermost")
    left = labels < 0
    if left.sum() >= k:
        labels[left] = labels.max() + 1
    return with_leftovers(points, labels)


def diameter_groups(points: Points, k: int, leader: Leader = "outermost") -> Labels:
    """The same, but the last group of its own has k records too, and everybody else joins the nearest group."""
    if len(points) < 2 * k:
        return np.zeros(len(points), dtype=np.int32)
    from sfumato.algorithms.microaggregation.loops.maximum_distance import farthest_pairs

    return with_leftovers(points, farthest_pairs(points, k, outermost=leader == "outermost", single=True))
