"""Groups by Ward's method, held to a least size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.dealing import all_alike, dealt_out
from sfumato.algorithms.microaggregation.splitting import split

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def ward_groups(points: Points, k: int) -> Labels:
    """The two records furthest from each other lead a group of k each, everybody else is joined where it costs least.

    Only groups with fewer than k records look for another one to join. Groups that end with 2k or more are taken as a
    table of their own and grouped again.
    """
    labels = np.zeros(len(points), dtype=np.int32)
    while np.bincount(labels).max() >= 2 * k:
        labels = split(points, labels, k, _grouped_once)
    return labels


def _grouped_once(points: Points, k: int) -> Labels:
    from sfumato.algorithms.microaggregation.loops.k_ward import ward_merged
    from sfumato.algorithms.microaggregation.loops.maximum_distance import farthest_pairs

    if all_alike(points):  # else they would come off k at a time
        return dealt_out(len(points), k)
    labels = farthest_pairs(points, k, outermost=True, most=1)
    alone = labels < 0
    labels[alone] = np.arange(2, 2 + alone.sum())
    return np.unique(ward_merged(points, labels, k), return_inverse=True)[1].astype(np.int32)
