"""Gives up groups one after the other where their records do better, as a whole, with the groups next to them.

Means are looked for in a tree. One that has moved is taken out of it and put into a list, which is looked through as
well; when the list has become long, a tree of all means is built again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.loops.clusters import (
    Clusters,
    clusters_of,
    growth,
    hand_over,
    members_of,
    offer,
    settle,
    withdraw,
)
from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.nearest_centroid import distance_below
from sfumato.kernels.neighbours.take_nearest import Near, look, scratch
from sfumato.kernels.neighbours.tree import ShrinkingTree, shrinking_tree, take_first

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]
Counts = NDArray[np.int64]

ROUNDING = 1e-12
"""A gain below this share of the loss at the start is none."""


class Means(NamedTuple):
    """Where the groups' means are: in the tree, at the group's `place`, or in the list of those that have moved."""

    tree: ShrinkingTree
    place: Numbers
    moved: Numbers
    listed: Counts
    near: Near


def dissolve(points: Points, labels: Numbers, order: Numbers, most: int) -> Numbers:
    """Labels after every group was tried in this order; a group that was given up leaves a gap in the numbers.

    All records of a group go to the nearest mean of the others, none of which moves meanwhile or grows above `most`.
    """
    labels, clusters, tried = labels.copy(), clusters_of(points, labels), 0
    least = ROUNDING * float(clusters.losses.sum())
    while tried < len(order):
        tried = _try(points, clusters, _means(clusters), order, tried, most, least, labels)
    return labels


def _means(clusters: Clusters) -> Means:
    """All means in a tree; groups with the same mean have a place each, so that any of them can leave it."""
    alive, groups = np.flatnonzero(clusters.sizes).astype(np.int32), len(clusters.sizes)
    tree = shrinking_tree(clusters.means, alive, np.full(groups, -1, dtype=np.int32))
    place = np.full(groups, -1, dtype=np.int32)
    place[tree.first] = np.arange(len(alive))
    return Means(tree, place, np.empty(groups, dtype=np.int32), np.zeros(1, dtype=np.int64), scratch(2))


@compiled
def _try(
    points: Points,
    clusters: Clusters,
    means: Means,
    order: Numbers,
    tried: int,
    most: int,
    least: float,
    labels: Numbers,
) -> int:
    """Try groups until all were tried or the list of moved means is long; how many were tried."""
    long = 64 + 4 * int(np.sqrt(len(order)))
    while tried < len(order) and means.listed[0] < long:
        group = order[tried]
        members = members_of(clusters, group)
        targets = np.full(len(members), -1, dtype=np.int32)
        if _gain(points, clusters, means, group, members, targets, most) > least:
            _give_up(points, clusters, means, group, members, targets, labels)
        for at in range(len(targets)):
            if targets[at] >= 0:
                withdraw(clusters, targets[at])
        tried += 1
    return tried


@compiled
def _gain(
    points: Points, clusters: Clusters, means: Means, group: int, members: Numbers, targets: Numbers, most: int
) -> float:
    """What is gained if every member goes to its target, which is found here; nothing if one finds no room."""
    for at in range(len(members)):
        point = points[members[at]]
        targets[at] = _target(clusters, means, group, point, most)
        if targets[at] < 0:
            return 0.0
        offer(clusters, targets[at], point, distance_below(point, clusters.means[targets[at]], np.inf))
    gain = clusters.losses[group]
    for at in range(len(targets)):
        if _is_first(targets, at):
            gain -= growth(clusters, targets[at])
    return float(gain)


@compiled
def _is_first(targets: Numbers, at: int) -> bool:
    """Whether a target was not named before."""
    for before in range(at):
        if targets[before] == targets[at]:
            return False
    return True


@compiled
def _target(clusters: Clusters, means: Means, group: int, point: Points, most: int) -> int:
    """The other group whose mean is nearest and which has room, the lowest of several; -1 if none has."""
    best, found = np.inf, -1
    for at in range(look(means.tree, means.near, point, 2)):
        other = means.near.records[at]
        if other != group:
            best, found = means.near.distances[at], other
            break
    if found >= 0 and clusters.sizes[found] + clusters.extra[found] >= most:
        return _closest(clusters, np.arange(len(clusters.sizes)).astype(np.int32), group, point, most, np.inf, -1)
    return _closest(clusters, means.moved[: means.listed[0]], group, point, most, best, found)


@compiled
def _closest(clusters: Clusters, others: Numbers, group: int, point: Points, most: int, best: float, found: int) -> int:
    """The nearest of some groups that have room, or the best found before."""
    for at in range(len(others)):
        other, size = int(others[at]), clusters.sizes[others[at]]
        if other == group or size == 0 or size + clusters.extra[other] >= most:
            continue
        distance = distance_below(point, clusters.means[other], best)
        if distance < best or (distance == best and other < found):
            best, found = distance, other
    return found


@compiled
def _give_up(
    points: Points, clusters: Clusters, means: Means, group: int, members: Numbers, targets: Numbers, labels: Numbers
) -> None:
    for at in range(len(members)):
        labels[members[at]] = targets[at]
        hand_over(points, clusters, members[at], targets[at])
    clusters.sizes[group] = 0
    _leave(means, group)
    for at in range(len(targets)):
        if clusters.extra[targets[at]] > 0:
            settle(clusters, targets[at])
            _leave(means, targets[at])
            means.moved[means.listed[0]] = targets[at]
            means.listed[0] += 1


@compiled
def _leave(means: Means, group: int) -> None:
    """Take a mean from where it is."""
    if means.place[group] >= 0:
        take_first(means.tree, means.place[group])
        means.place[group] = -1
        return
    kept = 0
    for at in range(means.listed[0]):
        if means.moved[at] != group:
            means.moved[kept] = means.moved[at]
            kept += 1
    means.listed[0] = kept
