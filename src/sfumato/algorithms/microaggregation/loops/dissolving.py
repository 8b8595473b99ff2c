"""Compiled loops that dissolve groups one after the other, where that lowers the total squared error.

`Clusters` has the members and the moments of every group. The effect of dissolving a group is first noted beside the
groups that would take its records, and only applied if the squared error falls, so that no attempt needs a copy. The
nearest means are found in a tree. A mean that has moved is removed from the tree and put into a list that is searched
as well; when the list is long, the tree is built again from all means. An attempt costs, for each member, one search in
the tree and a pass over the list of at most about 64 + 4 * sqrt(groups) means.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.nearest_centroid import distance_below
from sfumato.kernels.neighbours.take_nearest import Near, look, scratch
from sfumato.kernels.neighbours.tree import ShrinkingTree, shrinking_tree, take_first
from sfumato.runtime.representations import sizes_only

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]
Counts = NDArray[np.int64]

ROUNDING = 1e-12
"""A gain below this share of the squared error at the start is treated as a rounding error."""


class Clusters(NamedTuple):
    """The members and the moments of every group, and the records that it would take in.

    The members are a linked list from `head` along `after`. A dissolved group has size 0. Records that a group would
    take in are noted until it is decided: `extra` is their number, `shifts` the sum of their differences from the mean,
    and `squares` the sum of their squared distances from it.
    """

    head: Numbers
    """Group: its first record; -1 for none."""
    after: Numbers
    """Record: the next record of its group, or -1."""
    sizes: Counts
    sums: Points
    means: Points
    losses: Points
    """Group: its squared error."""
    extra: Counts
    shifts: Points
    squares: Points

    def __repr__(self) -> str:
        return sizes_only(self)


class Means(NamedTuple):
    """The means of the groups, each in the tree or, if it has moved since the tree was built, in a list."""

    tree: ShrinkingTree
    place: Numbers
    """Group: the place of its mean in the tree, or -1."""
    moved: Numbers
    """The groups whose means have moved; the first `listed[0]` entries are in use."""
    listed: Counts
    near: Near
    """Scratch for searches of two places."""


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
        # put the record at the front of the list of its group
        after[record], head[group] = head[group], record
    means = np.empty_like(sums)
    for group in range(groups):
        means[group] = sums[group] / sizes[group]
    for record in range(len(labels)):
        # distances from the final means, which keeps more digits than differences of sums
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
    # records that joined later are at the front of the list; a fixed order makes the sums the same in any case
    members.sort()
    return members


@compiled
def note_record(clusters: Clusters, group: int, point: Points, distance: float) -> None:
    """Note that a group would take in a record at this squared distance from its mean."""
    clusters.extra[group] += 1
    clusters.squares[group] += distance
    for column in range(len(point)):
        clusters.shifts[group, column] += point[column] - clusters.means[group, column]


@compiled
def growth(clusters: Clusters, group: int) -> float:
    """The growth of the squared error of a group if it takes in the noted records; 0 if none is noted.

    With the mean m of the old N records and r new records x, it is sum |x - m|^2 - |sum (x - m)|^2 / (N + r), so
    neither the old nor the new records are visited again.
    """
    if clusters.extra[group] == 0:
        return 0.0
    shift = 0.0
    for value in clusters.shifts[group]:
        shift += value * value
    return float(clusters.squares[group] - shift / (clusters.sizes[group] + clusters.extra[group]))


@compiled
def clear_notes(clusters: Clusters, group: int) -> None:
    """Remove the notes about records that a group would take in."""
    clusters.extra[group], clusters.squares[group], clusters.shifts[group] = 0, 0.0, 0.0


@compiled
def append_record(points: Points, clusters: Clusters, record: int, group: int) -> None:
    """Add a noted record to the list and the sums of a group.

    Its old group is dissolved as a whole and needs no update.
    """
    clusters.after[record], clusters.head[group] = clusters.head[group], record
    clusters.sums[group] += points[record]


@compiled
def apply_notes(clusters: Clusters, group: int) -> None:
    """Update the moments of a group after it has taken in the noted records."""
    clusters.losses[group] += growth(clusters, group)
    clusters.sizes[group] += clusters.extra[group]
    clusters.means[group] = clusters.sums[group] / clusters.sizes[group]
    clear_notes(clusters, group)


def dissolve(points: Points, labels: Numbers, order: Numbers, most: int) -> Numbers:
    """Labels after every group was tried in this order; a dissolved group leaves a gap in the numbers.

    Each record of a dissolved group joins the other group with the nearest mean. Means do not change while records
    join, and no group takes in records beyond `most`.
    """
    labels, clusters, tried = labels.copy(), clusters_of(points, labels), 0
    least = ROUNDING * float(clusters.losses.sum())
    while tried < len(order):
        tried = _try_groups(points, clusters, _means(clusters), order, tried, most, least, labels)
    return labels


def _means(clusters: Clusters) -> Means:
    """All means in a tree; groups with equal means have a place each, so that any of them can be removed."""
    alive, groups = np.flatnonzero(clusters.sizes).astype(np.int32), len(clusters.sizes)
    # the records of this tree are groups, and no place has a second one
    tree = shrinking_tree(clusters.means, alive, np.full(groups, -1, dtype=np.int32))
    place = np.full(groups, -1, dtype=np.int32)
    place[tree.first] = np.arange(len(alive))
    return Means(tree, place, np.empty(groups, dtype=np.int32), np.zeros(1, dtype=np.int64), scratch(2))


@compiled
def _try_groups(
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
        # the means in the tree and in the list are those of all groups that remain
        group = order[tried]
        members = members_of(clusters, group)
        targets = np.full(len(members), -1, dtype=np.int32)
        if _gain(points, clusters, means, group, members, targets, most) > least:
            _dissolve_group(points, clusters, means, group, members, targets, labels)
        # whether the group was dissolved or not, no note about its records may remain
        for at in range(len(targets)):
            if targets[at] >= 0:
                clear_notes(clusters, targets[at])
        tried += 1
    return tried


@compiled
def _gain(
    points: Points, clusters: Clusters, means: Means, group: int, members: Numbers, targets: Numbers, most: int
) -> float:
    """Find a target for every member; returns by how much the squared error falls if all move there.

    The notes at the targets then include all members. Returns 0 if a member finds no target with room.
    """
    for at in range(len(members)):
        point = points[members[at]]
        targets[at] = _target(clusters, means, group, point, most)
        if targets[at] < 0:
            return 0.0
        note_record(clusters, targets[at], point, distance_below(point, clusters.means[targets[at]], np.inf))
    # the squared error of the group disappears, and those of the targets grow
    gain = clusters.losses[group]
    for at in range(len(targets)):
        # each target counts once, with all members that would join it
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
    # two places are enough, because only the group itself is passed over
    for at in range(look(means.tree, means.near, point, 2)):
        other = means.near.records[at]
        if other != group:
            best, found = means.near.distances[at], other
            break
    # the nearest group is full: compare all groups, which only happens where `most` is small
    if found >= 0 and clusters.sizes[found] + clusters.extra[found] >= most:
        return _closest(clusters, np.arange(len(clusters.sizes)).astype(np.int32), group, point, most, np.inf, -1)
    return _closest(clusters, means.moved[: means.listed[0]], group, point, most, best, found)


@compiled
def _closest(clusters: Clusters, others: Numbers, group: int, point: Points, most: int, best: float, found: int) -> int:
    """The nearest of some groups with room, or the group `found` before at the squared distance `best`."""
    for at in range(len(others)):
        other, size = int(others[at]), clusters.sizes[others[at]]
        if other == group or size == 0 or size + clusters.extra[other] >= most:
            continue
        distance = distance_below(point, clusters.means[other], best)
        if distance < best or (distance == best and other < found):
            best, found = distance, other
    return found


@compiled
def _dissolve_group(
    points: Points, clusters: Clusters, means: Means, group: int, members: Numbers, targets: Numbers, labels: Numbers
) -> None:
    """Dissolve a group: move its members to their targets, and update moments and means."""
    for at in range(len(members)):
        labels[members[at]] = targets[at]
        append_record(points, clusters, members[at], targets[at])
    clusters.sizes[group] = 0
    _remove_mean(means, group)
    for at in range(len(targets)):
        # the first time a target occurs; its notes are cleared here, so it is not treated again
        if clusters.extra[targets[at]] > 0:
            apply_notes(clusters, targets[at])
            _remove_mean(means, targets[at])
            means.moved[means.listed[0]] = targets[at]
            means.listed[0] += 1


@compiled
def _remove_mean(means: Means, group: int) -> None:
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
