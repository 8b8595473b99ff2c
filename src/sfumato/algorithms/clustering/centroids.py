"""Equalizes the sizes of groups around centroids, for `oka` and `k_center`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.loops.centroids import Centroids, DistanceTerms, fill_up, own_distances

Counts = NDArray[np.int64]
Labels = NDArray[np.int32]


def level_sizes(
    terms: DistanceTerms, centroids: Centroids, row: Counts, group: Labels, counts: Counts, k: int
) -> tuple[Counts, Labels, Counts]:
    """Runs of records after each group with more than k records has given away those farthest from its centroid.

    In the order of their rows, these records join the nearest group with fewer than k records, or the nearest of all
    groups if there is none. The centroids do not move.
    """
    far = own_distances(terms, centroids, row, group)
    # The farthest records of each group first, because these leave it.
    order = np.lexsort((row, -far, group))
    row, group, counts = row[order], group[order], counts[order]
    leaving = _surplus(group, counts, centroids.size, k)
    moving = np.flatnonzero(leaving)
    moving = moving[np.argsort(row[moving], kind="stable")]
    # The groups after their surplus has left: nobody has more than k.
    room = centroids._replace(size=np.minimum(centroids.size, k))
    new_row, new_group, new_counts = fill_up(terms, room, row[moving], leaving[moving], k)
    stays = counts > leaving
    parts = ((row[stays], new_row), (group[stays], new_group), ((counts - leaving)[stays], new_counts))
    rows, groups, records = (np.concatenate(part) for part in parts)
    return rows, groups.astype(np.int32), records


def _surplus(group: Labels, counts: Counts, size: Counts, k: int) -> Counts:
    """The number of records of each run that must leave its group, so that k remain.

    Runs are sorted by group, and the first runs of a group leave first.
    """
    before = np.cumsum(counts) - counts
    starts = np.searchsorted(group, group)
    inside = before - before[starts]
    return np.asarray(np.clip(np.maximum(size - k, 0)[group] - inside, 0, counts))
