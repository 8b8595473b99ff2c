"""The compiled loop of MDAV: a group around the record farthest from the mean, and one around the farthest from that.

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
from sfumato.kernels.neighbours.search import farthest
from sfumato.kernels.neighbours.take_nearest import Near, scratch, take_nearest
from sfumato.kernels.neighbours.tree import ShrinkingTree, shrinking_tree, take_first
from sfumato.runtime.progress import labelling

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


def pairs_of_groups(points: Points, k: int, enough: int) -> Numbers:
    """Labels of groups of k, made in pairs while at least `enough` records (2k or more) are free; -1 for the rest."""
    points = np.array(points, order="C")  # writable, because the loop would be compiled again for read-only arrays
    tree = shrinking_tree(points, *twins(points))
    labels = np.full(len(points), -1, dtype=np.int32)
    with labelling(labels):
        _pair_off(points, tree, outermost(tree), scratch(k - 1), exact_sums(points), k, enough, labels)
    return labels


@compiled
def _pair_off(
    points: Points, tree: ShrinkingTree, far: Outermost, near: Near, sums: Points, k: int, enough: int, labels: Numbers
) -> None:
    """Make pairs of groups while at least `enough` records are free.

    State: `tree` has the free records, `free` is their number, and `sums[0]` has the sum of their coordinates. A pair
    costs one search for the record farthest from the mean, one for the record farthest from that, two for k - 1 near
    records each, and O(k * columns) to update the sums.
    """
    free, group = len(labels), 0
    members, mean = np.empty(k, dtype=np.int32), np.empty(points.shape[1])
    while free >= enough:
        for column in range(len(mean)):
            mean[column] = sums[0, column] / free
        place = farthest_from_centre(far, tree, mean)
        opposite = False
        # two rounds, one per group: around `place`, then around the record farthest from it that is still free
        while True:
            members[0] = take_first(tree, place)
            take_nearest(tree, near, tree.rows[place], k - 1, members[1:])
            for record in members:
                labels[record] = group
                subtract(sums, points[record])
            group += 1
            free -= k
            if opposite:
                break
            place, opposite = farthest(tree, tree.rows[place]), True
