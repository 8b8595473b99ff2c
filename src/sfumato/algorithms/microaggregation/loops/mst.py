"""Compiled loops of MST: the minimum spanning tree of all points, and its parts after the longest edges are cut.

The tree is built by Prim's algorithm without a heap, because every pair of points is an edge: O(n^2 * columns) time,
O(n) memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.nearest_centroid import distance_below

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


class SpanningTree(NamedTuple):
    """A tree with root 0, as the parent of every record."""

    order: Numbers
    """The records in the order in which they joined the tree, so that every record comes after its parent."""
    above: Numbers
    """The parent of every record; -1 for the root."""
    length: Points
    """The squared distance from the parent."""


@compiled
def spanning_tree(points: Points) -> SpanningTree:
    """Prim's algorithm: adds the record nearest to the tree; of several the one with the lowest number.

    For every record outside the tree, `length` has its squared distance from the tree and `above` the nearest record of
    the tree.
    """
    n = len(points)
    order, above = np.empty(n, dtype=np.int32), np.full(n, -1, dtype=np.int32)
    length, outside = np.full(n, np.inf), np.ones(n, dtype=np.bool_)
    joining = 0
    for place in range(n):
        order[place], outside[joining] = joining, False
        # update the distances to the tree and find the next record in the same pass
        nearest, best = -1, np.inf
        for record in range(n):
            if not outside[record]:
                continue
            # only the record that has just joined can be nearer than those before; the sum stops at the known distance
            distance = distance_below(points[joining], points[record], length[record])
            if distance < length[record]:
                length[record], above[record] = distance, joining
            if length[record] < best:
                nearest, best = record, length[record]
        joining = nearest
    length[0] = 0.0
    return SpanningTree(order, above, length)


@compiled
def cut_tree(tree: SpanningTree, k: int) -> Numbers:
    """Labels of the parts after edges are cut, longest first, wherever both parts keep at least k records.

    Of equally long edges the one above the lowest record comes first. `below` has the size of the subtree of every
    record inside its part, so that the sizes of both parts of a cut are known without a pass over them. An edge costs
    O(depth).
    """
    n = len(tree.order)
    above, below = tree.above.copy(), np.ones(n, dtype=np.int64)
    # children joined the tree after their parent, so backwards every subtree is complete before it is added
    for place in range(n - 1, 0, -1):
        below[above[tree.order[place]]] += below[tree.order[place]]
    for record in np.argsort(-tree.length, kind="mergesort"):
        # the part below this edge would be too small
        if above[record] < 0 or below[record] < k:
            continue
        top = record
        while above[top] >= 0:
            top = above[top]
        # the part above this edge would be too small; `below[top]` is the size of the whole part
        if below[top] - below[record] < k:
            continue
        # cut: the part above loses the whole subtree, on the path up to its root
        over = above[record]
        while over >= 0:
            below[over] -= below[record]
            over = above[over]
        above[record] = -1
    return _labels_of_parts(tree.order, above)


@compiled
def _labels_of_parts(order: Numbers, above: Numbers) -> Numbers:
    """Number the roots, and give every record the number of its root."""
    labels, groups = np.empty(len(order), dtype=np.int32), 0
    for record in order:
        if above[record] < 0:
            labels[record] = groups
            groups += 1
        else:
            labels[record] = labels[above[record]]
    return labels
