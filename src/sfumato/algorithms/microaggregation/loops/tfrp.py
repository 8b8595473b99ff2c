"""The compiled loop of TFRP: groups around the record farthest from each of two reference points in turn.

The reference points do not move, so each has its own lists of far places, which are drawn again only when they are used
up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.duplicate_points import twins
from sfumato.kernels.neighbours.farthest_point import Outermost, farthest_from_centre, outermost
from sfumato.kernels.neighbours.take_nearest import Near, scratch, take_nearest
from sfumato.kernels.neighbours.tree import ShrinkingTree, shrinking_tree
from sfumato.runtime.progress import labelling

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


def corner_groups(points: Points, k: int, corners: Points) -> Numbers:
    """Labels of groups of k, made while k records are free; -1 for the rest. The corners are the reference points."""
    tree = shrinking_tree(points, *twins(points))
    labels = np.full(len(points), -1, dtype=np.int32)
    with labelling(labels):
        _group(tree, outermost(tree), outermost(tree), scratch(k), corners, labels)
    return labels


@compiled
def _group(
    tree: ShrinkingTree, from_one: Outermost, from_other: Outermost, near: Near, corners: Points, labels: Numbers
) -> None:
    """Make n // k groups; each costs one search for the farthest place and one for its k nearest records."""
    k = len(near.places)
    taken, seed = np.empty(k, dtype=np.int32), np.empty(corners.shape[1])
    for group in range(len(labels) // k):
        if group % 2 == 0:
            seed[:] = tree.rows[farthest_from_centre(from_one, tree, corners[0])]
        else:
            seed[:] = tree.rows[farthest_from_centre(from_other, tree, corners[1])]
        # the farthest record is at distance 0 from the seed, so it is one of the k
        take_nearest(tree, near, seed, k, taken)
        for record in taken:
            labels[record] = group
