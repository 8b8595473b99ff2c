"""The compiled loop of V-MDAV: a group of k takes in further records that are nearer to it than to other free records.

The nearest free record of every member is stored, and searched again only after it was taken. A record that joins costs
one search for its distance to other free records, one for its own nearest record, one for each member whose nearest
record it was, and a pass over the members of the group.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.duplicate_points import twins
from sfumato.kernels.neighbours.farthest_point import Outermost, farthest_from_centre, outermost
from sfumato.kernels.neighbours.take_nearest import Near, look, scratch, take_nearest
from sfumato.kernels.neighbours.tree import ShrinkingTree, shrinking_tree, take_first
from sfumato.runtime.progress import labelling

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


def variable_size_groups(points: Points, k: int, gamma: float, centre: Points) -> Numbers:
    """Labels of groups of k to 2k - 1, the record farthest from the centre first; -1 for fewer than k at the end."""
    tree = shrinking_tree(points, *twins(points))
    labels = np.full(len(points), -1, dtype=np.int32)
    with labelling(labels):
        _group(points, tree, outermost(tree), scratch(max(k, 2)), k, gamma, centre, labels)
    return labels


@compiled
def _group(
    points: Points,
    tree: ShrinkingTree,
    far: Outermost,
    near: Near,
    k: int,
    gamma: float,
    centre: Points,
    labels: Numbers,
) -> None:
    """Make groups until fewer than k records are free.

    State: `members[:size]` are the records of the current group. For each member, `nearest` has the nearest free record
    (-1 if it is not yet searched), `place` its place in the tree and `distances` its squared distance.
    """
    free, group = len(labels), 0
    members, seed = np.empty(2 * k, dtype=np.int32), np.empty(len(centre))
    distances, place, nearest = (
        np.empty(2 * k),
        np.empty(2 * k, dtype=np.int32),
        np.empty(2 * k, dtype=np.int32),
    )
    while free >= k:
        seed[:] = tree.rows[farthest_from_centre(far, tree, centre)]
        size = take_nearest(tree, near, seed, k, members)
        # nothing is known yet about the neighbours of the new members
        nearest[:] = -1
        # with only one record left, its distance to other free records is undefined
        while size < 2 * k - 1 and free - size > 1:
            closest = _closest(points, tree, near, members[:size], distances, place, nearest)
            # the nearest record stays outside: it has another free record nearer, relative to gamma
            if not np.sqrt(distances[closest]) < gamma * np.sqrt(_isolation(tree, near, place[closest])):
                break
            members[size] = take_first(tree, place[closest])
            size += 1
        for record in members[:size]:
            labels[record] = group
        free -= size
        group += 1


@compiled
def _closest(
    points: Points,
    tree: ShrinkingTree,
    near: Near,
    members: Numbers,
    distances: Points,
    place: Numbers,
    nearest: Numbers,
) -> int:
    """The member whose nearest free record is nearest of all; of several the one with the lowest record."""
    best = -1
    for at in range(len(members)):
        # not yet searched, or the record found has been taken since
        if nearest[at] < 0 or tree.first[place[at]] != nearest[at]:
            look(tree, near, points[members[at]], 1)
            nearest[at], place[at], distances[at] = near.records[0], near.places[0], near.distances[0]
        if (
            best < 0
            or distances[at] < distances[best]
            or (distances[at] == distances[best] and nearest[at] < nearest[best])
        ):
            best = at
    return best


@compiled
def _isolation(tree: ShrinkingTree, near: Near, place: int) -> float:
    """The squared distance of the lowest record of a place from the nearest other free record."""
    # another free record is at the same place
    if tree.following[tree.first[place]] >= 0:
        return 0.0
    look(tree, near, tree.rows[place], 2)
    return float(near.distances[1])
