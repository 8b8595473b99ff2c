"""Compiled loops of MHM: paths through all points on which consecutive points are near each other.

`nearest_next` searches n times in a tree of the free records. `path_through_groups` compares all records of a group,
because groups are small: O(n * group size * columns).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.duplicate_points import twins
from sfumato.kernels.neighbours.nearest_centroid import distance_below
from sfumato.kernels.neighbours.search import farthest
from sfumato.kernels.neighbours.take_nearest import Near, scratch, take_nearest
from sfumato.kernels.neighbours.tree import ShrinkingTree, shrinking_tree, take_first

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


def nearest_next(points: Points, centre: Points) -> Numbers:
    """The records on a path from the one farthest from the centre, always continued to the nearest free record.

    Of equally near or far records the lowest is taken.
    """
    order = np.empty(len(points), dtype=np.int32)
    _walk(shrinking_tree(points, *twins(points)), scratch(1), np.ascontiguousarray(centre), points, order)
    return order


@compiled
def _walk(tree: ShrinkingTree, near: Near, centre: Points, points: Points, order: Numbers) -> None:
    """Fill `order`; the tree has the records that are not yet on the path."""
    order[0] = take_first(tree, farthest(tree, centre))
    for place in range(1, len(order)):
        take_nearest(tree, near, points[order[place - 1]], 1, order[place : place + 1])


@compiled
def path_through_groups(points: Points, members: Numbers, stops: NDArray[np.int64], centre: Points) -> Numbers:
    """The records on a path through one group after the other, always continued to the nearest record of the group.

    `members` lists the groups one after the other, each ascending, and `stops` has their ends. The path begins at the
    record of the first group that is farthest from the centre.
    """
    order, start = members.copy(), 0
    for stop in stops:
        for place in range(start, stop):
            # `order[:place]` is the path so far, and `order[place:stop]` are the other records of this group, ascending
            chosen = _nearest(points, order, place, stop) if place else _farthest(points, order[:stop], centre)
            _move_forward(order, place, chosen)
        start = stop
    return order


@compiled
def _farthest(points: Points, members: Numbers, centre: Points) -> int:
    """The place of the record farthest from the centre."""
    best, found = -1.0, 0
    for at in range(len(members)):
        distance = distance_below(points[members[at]], centre, np.inf)
        if distance > best:
            best, found = distance, at
    return found


@compiled
def _nearest(points: Points, order: Numbers, start: int, stop: int) -> int:
    """The place of the record nearest to the previous one."""
    best, found, last = np.inf, start, order[start - 1]
    for at in range(start, stop):
        # strictly nearer, so that of equally near records the lowest is taken
        distance = distance_below(points[order[at]], points[last], best)
        if distance < best:
            best, found = distance, at
    return found


@compiled
def _move_forward(order: Numbers, place: int, chosen: int) -> None:
    """Move a record forward; the records it passes keep their order, so that the lowest still wins ties."""
    record = order[chosen]
    for at in range(chosen, place, -1):
        order[at] = order[at - 1]
    order[place] = record
