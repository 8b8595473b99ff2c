"""The compiled loop of CBFS: groups of k around the record farthest from the mean of the free records.

A tree of the free records finds the farthest and the nearest ones. The sums of the free records are exact and are
reduced by the records of every group, so that the mean needs no pass over the records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.duplicate_points import twins
from sfumato.kernels.neighbours.exact_sums import exact_sums, subtract
from sfumato.kernels.neighbours.farthest_point import Outermost, farthest_from_centre, outermost
from sfumato.kernels.neighbours.take_nearest import Near, scratch, take_nearest
from sfumato.kernels.neighbours.tree import ShrinkingTree, shrinking_tree
from sfumato.runtime.progress import labelling

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


def centroid_groups(points: Points, k: int) -> Numbers:
    """Labels of groups of k, made while at least k records are free; -1 for the rest."""
    tree = shrinking_tree(points, *twins(points))
    labels = np.full(len(points), -1, dtype=np.int32)
    with labelling(labels):
        _group(points, tree, outermost(tree), scratch(k), exact_sums(points), labels)
    return labels


@compiled
def _group(points: Points, tree: ShrinkingTree, far: Outermost, near: Near, sums: Points, labels: Numbers) -> None:
    """Make groups until fewer than k records are free.

    State: `tree` has the free records, `free` is their number, and `sums[0]` has the sum of their coordinates. There
    are n / k steps, each with one search for the farthest record, one for its k nearest, and O(k * columns) to update
    the sums.
    """
    k, free, group = len(near.places), len(labels), 0
    taken, seed = np.empty(k, dtype=np.int32), np.empty(points.shape[1])
    while free >= k:
        seed[:] = tree.rows[farthest_from_centre(far, tree, sums[0] / free)]
        # the farthest record is at distance 0 from the seed, so it is one of the k
        take_nearest(tree, near, seed, k, taken)
        for record in taken:
            labels[record] = group
            subtract(sums, points[record])
        free -= k
        group += 1
