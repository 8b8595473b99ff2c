"""The compiled loop of P-S: groups around the first and the last free record of an order, in pairs.

The search for near records uses a tree of the free records. With seeds there is one search for a group, with centroids
one for every record, because the centroid moves. So there are n / k or n searches, and the seeds cost one pass over
both orders. State: the tree has the records without a label; a record gets its label when it leaves the tree.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.duplicate_points import twins
from sfumato.kernels.neighbours.take_nearest import Near, look, scratch, take_nearest
from sfumato.kernels.neighbours.tree import ShrinkingTree, shrinking_tree, take_first
from sfumato.runtime.progress import labelling

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


def end_groups(
    points: Points, k: int, ascending: Numbers, descending: Numbers, to_centroid: bool, reserve_last: bool
) -> Numbers:
    """Labels of groups of k; the last group has k to 2k - 1 records.

    `ascending` has the records from the first to the last, `descending` from the last to the first; of equal ones the
    lowest number comes first in both. With `to_centroid` a group takes in the record nearest to its current mean, else
    the one nearest to its seed. With `reserve_last` the last record cannot join the group of the first.
    """
    tree = shrinking_tree(points, *twins(points))
    labels = np.full(len(points), -1, dtype=np.int32)
    with labelling(labels):
        _group(points, tree, _places(tree), scratch(k), ascending, descending, to_centroid, reserve_last, labels)
    return labels


@compiled
def _places(tree: ShrinkingTree) -> Numbers:
    """The place of every record in the tree."""
    places = np.empty(len(tree.following), dtype=np.int32)
    for place in range(len(tree.first)):
        record = tree.first[place]
        while record >= 0:
            places[record] = place
            record = tree.following[record]
    return places


@compiled
def _group(
    points: Points,
    tree: ShrinkingTree,
    places: Numbers,
    near: Near,
    ascending: Numbers,
    descending: Numbers,
    to_centroid: bool,
    reserve_last: bool,
    labels: Numbers,
) -> None:
    """Make the groups; `up` and `down` are the positions in the two orders before which no record is free."""
    k, free, group, up, down = len(near.places), len(labels), 0, 0, 0
    while free >= 3 * k:
        up = _seed(tree, places, ascending, up, labels, group)
        # the last record is removed before the first group is filled, or only after it
        if reserve_last:
            down = _seed(tree, places, descending, down, labels, group + 1)
        _grow(points, tree, near, ascending[up], to_centroid, labels, group)
        if not reserve_last:
            down = _seed(tree, places, descending, down, labels, group + 1)
        _grow(points, tree, near, descending[down], to_centroid, labels, group + 1)
        free, group = free - 2 * k, group + 2
    # 2k to 3k - 1 records are free: one more group at the beginning, and the rest is the last group
    if free >= 2 * k:
        up = _seed(tree, places, ascending, up, labels, group)
        _grow(points, tree, near, ascending[up], to_centroid, labels, group)
        group += 1
    for record in range(len(labels)):
        if labels[record] < 0:
            labels[record] = group


@compiled
def _seed(tree: ShrinkingTree, places: Numbers, order: Numbers, at: int, labels: Numbers, group: int) -> int:
    """Take the next free record of an order as the seed of a group; returns its position in the order.

    The tree gives the lowest free record at the place. That is the record itself, because of equal records the lowest
    comes first in the order.
    """
    while labels[order[at]] >= 0:
        at += 1
    labels[take_first(tree, places[order[at]])] = group
    return at


@compiled
def _grow(
    points: Points, tree: ShrinkingTree, near: Near, seed: int, to_centroid: bool, labels: Numbers, group: int
) -> None:
    """Fill the group of a seed up to k records."""
    wanted = len(near.places) - 1
    if not to_centroid:
        taken = np.empty(wanted, dtype=np.int32)
        take_nearest(tree, near, points[seed], wanted, taken)
        labels[taken] = group
        return
    # the centroid of the members so far is total / size
    total = points[seed].copy()
    for size in range(1, wanted + 1):
        look(tree, near, total / size, 1)
        record = take_first(tree, near.places[0])
        labels[record] = group
        total += points[record]
