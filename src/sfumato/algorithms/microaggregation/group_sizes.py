"""Functions that bring groups to the required size: split large groups, place left-over records, merge failing groups.

Labels are the group of every record; a record without a group has the label -1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.models.group_model import GroupModel
from sfumato.runtime.progress import advance

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def split(points: Points, labels: Labels, k: int, partition: Callable[[Points, int], Labels]) -> Labels:
    """Group the records of every group of 2k records or more again with `partition`; the new labels have no gaps."""
    order, sizes = np.argsort(labels, kind="stable"), np.bincount(labels)
    stops, found, groups = np.cumsum(sizes), np.empty_like(labels), 0
    for size, stop in zip(sizes, stops, strict=True):
        advance("splitting groups", int(stop - size), len(labels))
        members = order[stop - size : stop]
        parts = partition(points[members], k) if size >= 2 * k else np.zeros(size, dtype=np.int32)
        found[members] = parts + groups
        groups += int(parts.max()) + 1
    return found


def all_equal(points: Points) -> bool:
    """Whether all points are equal, so that any groups of them are equally good."""
    return bool((points == points[0]).all())


def consecutive_groups(records: int, k: int) -> Labels:
    """Groups of k consecutive records, as many as possible; the last group also takes the records left over.

    >>> consecutive_groups(7, 3).tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """
    return np.minimum(np.arange(records) // k, max(records // k, 1) - 1).astype(np.int32)


def assign_leftovers(points: Points, labels: Labels) -> Labels:
    """Put every record without a group (-1) into the group with the nearest centroid.

    Centroids do not change while records join. Of several nearest groups the one with the lowest number is taken. Where
    there is no group, all records become one.
    """
    from sfumato.kernels.neighbours.exact_sums import exact_means
    from sfumato.kernels.neighbours.nearest_centroid import nearest_centroids

    left = labels < 0
    if left.all():
        return np.zeros(len(labels), dtype=np.int32)
    found = labels.copy()
    if left.any():
        found[left] = nearest_centroids(points[left], exact_means(points, labels, int(labels.max()) + 1))
    return found


def merge_failing_groups(
    table: Table, row: NDArray[np.int64], labels: Labels, models: Sequence[GroupModel], points: Points
) -> Labels:
    """Merge every group that fails one of the models with the group of the nearest centroid, until none fails.

    Record i has the values of table row `row[i]` and the coordinates `points[i]`. If only one group remains, it is
    returned whether it satisfies the models or not; the caller checks it.
    """
    records = table.rows_at(row, np.ones(len(row), dtype=np.int64))
    while labels.max() > 0:
        groups = Groups.of_labels(records, labels)
        failing = np.logical_or.reduce([np.zeros(len(groups), dtype=bool), *(~one.holds(groups) for one in models)])
        if not failing.any():
            break
        labels = _merge_groups(labels, np.flatnonzero(failing), centroids(points, labels))
    return labels


def centroids(points: Points, labels: Labels) -> Points:
    """The mean of every group."""
    sizes = np.bincount(labels)
    sums = [np.bincount(labels, weights=column) for column in points.T]
    return np.asarray(np.stack(sums, axis=1) / sizes[:, None])


def _merge_groups(labels: Labels, failing: NDArray[np.int64], middles: Points) -> Labels:
    """Merge every failing group with the nearest other one; chains of such pairs become one group."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    _, near = cKDTree(middles).query(middles[failing], k=2)
    # The nearest centroid is the group's own, or an equal one of another group.
    partner = np.where(near[:, 0] == failing, near[:, 1], near[:, 0])
    pairs = coo_array((np.ones(len(failing)), (failing, partner)), shape=(len(middles), len(middles)))
    _, component = connected_components(pairs, directed=False)
    return np.asarray(component, dtype=np.int32)[labels]
