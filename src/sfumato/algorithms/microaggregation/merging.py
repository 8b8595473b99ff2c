"""Joins groups that a model does not find safe yet with the nearest ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.models.base import PrivacyModel

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def merged_until_held(
    table: Table, row: NDArray[np.int64], labels: Labels, models: Sequence[PrivacyModel], points: Points
) -> Labels:
    """Every group that fails one of the models is joined with the one whose centroid is nearest, again and again.

    Record i is one of row `row[i]` and lies at `points[i]`. It ends when all groups hold, or when one is left; whether
    that one holds is judged by others.
    """
    records = table.rows_at(row, np.ones(len(row), dtype=np.int64))
    while labels.max() > 0:
        groups = Groups.of_labels(records, labels)
        failing = np.logical_or.reduce([np.zeros(len(groups), dtype=bool), *(~one.holds(groups) for one in models)])
        if not failing.any():
            break
        labels = _joined(labels, np.flatnonzero(failing), centroids(points, labels))
    return labels


def centroids(points: Points, labels: Labels) -> Points:
    """The mean of every group."""
    sizes = np.bincount(labels)
    sums = [np.bincount(labels, weights=column) for column in points.T]
    return np.asarray(np.stack(sums, axis=1) / sizes[:, None])


def _joined(labels: Labels, failing: NDArray[np.int64], middles: Points) -> Labels:
    """Every failing group with the nearest other one; chains of such pairs become one group."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    _, near = cKDTree(middles).query(middles[failing], k=2)
    partner = np.where(near[:, 0] == failing, near[:, 1], near[:, 0])
    pairs = coo_array((np.ones(len(failing)), (failing, partner)), shape=(len(middles), len(middles)))
    _, component = connected_components(pairs, directed=False)
    return np.asarray(component, dtype=np.int32)[labels]
