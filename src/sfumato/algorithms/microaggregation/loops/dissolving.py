"""Compiled loops that dissolve groups one after the other, where that lowers the total squared error.

`Clusters` has the members and the moments of every group. The effect of dissolving a group is first noted beside the
groups that would take its records, and only applied if the squared error falls, so that no attempt needs a copy. The
nearest means are found in a tree. A mean that has moved is removed from the tree and put into a list that is
searched as well; when the list is long, the tree is built again from all means.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.nearest_centroid import distance_below
from sfumato.kernels.neighbours.take_nearest import Near, look, scratch
from sfumato.kernels.neighbours.tree import ShrinkingTree, shrinking_tree, take_first

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]
Counts = NDArray[np.int64]

ROUNDING = 1e-12
"""A gain below this share of the squared error at the start counts as none."""


class Clusters(NamedTuple):
    """The members of every group, a linked list from `head` along `after`, and its moments; size 0 if it is dissolved.

    The records a group would take in are noted until that is decided: `extra` is their number, `shifts` the sum of
    their differences from the mean, and `squares` the sum of their squared distances from it.
    """

    head: Numbers
    after: Numbers
    sizes: Counts
    sums: Points
    means: Points
    losses: Points
    extra: Counts
    shifts: Points
    squares: Points


class Means(NamedTuple):
    """The means of the groups: in the tree, at the `place` of the group, or in the list of means that have moved."""

    tree: ShrinkingTree
    place: Numbers
    moved: Numbers
    listed: Counts
    near: Near


@compiled
def clusters_of(points: Points, labels: Numbers) -> Clusters:
    """The groups of some points; squared errors are summed in the order of the records."""
    groups, columns = labels.max() + 1, points.shape[1]
    head, after = np.full(groups, -1, dtype=np.int32), np.full(len(labels), -1, dtype=np.int32)
    sizes, sums, losses = np.zeros(groups, dtype=np.int64), np.zeros((groups, columns)), np.zeros(groups)
    for record in range(len(labels)):
        group = labels[record]
        sizes[group] += 1
        sums[group] += points[record]
        after[record], head[group] = head[group], record
    means = np.empty_like(sums)
    for group in range(groups):
        means[group] = sums[group] / sizes[group]
    for record in range(len(labels)):
        losses[labels[record]] += distance_below(points[record], means[labels[record]], np.inf)
    extra, shifts = np.zeros(groups, dtype=np.int64), np.zeros((groups, columns))
    return Clusters(head, after, sizes, sums, means, losses, extra, shifts, np.zeros(groups))


@compiled
def members_of(clusters: Clusters, group: int) -> Numbers:
    """The records of a group, ascending."""
    members = np.empty(clusters.sizes[group], dtype=np.int32)
    record = clusters.head[group]
    for at in range(len(members)):
        members[at], record = record, clusters.after[record]
    members.sort()
    return members


@compiled
def offer(clusters: Clusters, group: int, point: Points, distance: float) -> None:
    """Note that a group would take in a record at this squared distance from its mean."""
    clusters.extra[group] += 1
    clusters.squares[group] += distance
    for column in range(len(point)):
        clusters.shifts[group, column] += point[column] - clusters.means[group, column]


@compiled
def growth(clusters: Clusters, group: int) -> float:
    """By how much the squared error of a group would grow with the noted records; 0 where none is noted."""
    if clusters.extra[group] == 0:
        return 0.0
    shift = 0.0
    for value in clusters.shifts[group]:
        shift += value * value
    return float(clusters.squares[group] - shift / (clusters.sizes[group] + clusters.extra[group]))


@compiled
def withdraw(clusters: Clusters, group: int) -> None:
    """Remove the notes about records that a group would take in."""
    clusters.extra[group], clusters.squares[group], clusters.shifts[group] = 0, 0.0, 0.0


@compiled
def hand_over(points: Points, clusters: Clusters, record: int, group: int) -> None:
    """Add a noted record to the list of a group; its old group is dissolved as a whole and needs no update."""
    clusters.after[record], clusters.head[group] = clusters.head[group], record
    clusters.sums[group] += points[record]


@compiled
def settle(clusters: Clusters, group: int) -> None:
    """Update the moments of a group after it has taken in the noted records."""
    clusters.losses[group] += growth(clusters, group)
    clusters.sizes[group] += clusters.extra[group]
    clusters.means[group] = clusters.sums[group] / clusters.sizes[group]
    withdraw(clusters, group)


def dissolve(points: Points, labels: Numbers, order: Numbers, most: int) -> Numbers:
    """Labels after every group was tried in this order; a dissolved group leaves a gap in the numbers.

    Each record of a dissolved group joins the other group with the nearest mean. Means do not change while records
    join, and no group takes in records beyond `most`.
    """
    labels, clusters, tried = labels.copy(), clusters_of(points, labels), 0
    least = ROUNDING * float(clusters.losses.sum())
    while tried < len(order):
        tried = _try(points, clusters, _means(clusters), order, tried, most, least, labels)
    return labels


def _means(clusters: Clusters) -> Means:
    """All means in a tree; groups with equal means have a place each, so that any of them can be removed."""
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
    """Try groups until all were tried or the list of moved means is long; returns the number tried so far."""
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
    """Find a target for every member; returns the gain if all move there, 0 if a member finds no target with room."""
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
    """Whether a target does not occur earlier in the list."""
    for before in range(at):
        if targets[before] == targets[at]:
            return False
    return True


@compiled
def _target(clusters: Clusters, means: Means, group: int, point: Points, most: int) -> int:
    """The other group with room whose mean is nearest, of several the lowest number; -1 if none has room."""
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
    """The nearest of some groups with room, or the best one found before."""
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
    """Remove the mean of a group from the tree or from the list."""
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
