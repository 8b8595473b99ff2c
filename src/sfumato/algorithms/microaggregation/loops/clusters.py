"""Groups with their means and squared errors, which can pass records on to each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.nearest_centroid import distance_below

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]
Counts = NDArray[np.int64]


class Clusters(NamedTuple):
    """Who is in a group (a chain from `head` along `after`), and the moments of the group; 0 in `sizes` if it is gone.

    What it would be given is noted beside it until that is decided: how many records, the sum of their differences
    from its mean, and the sum of their squared distances.
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


@compiled
def clusters_of(points: Points, labels: Numbers) -> Clusters:
    """The groups of some points; squared errors are added up in the order of the records."""
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
    """Note that a group would be given a record at this squared distance from its mean."""
    clusters.extra[group] += 1
    clusters.squares[group] += distance
    for column in range(len(point)):
        clusters.shifts[group, column] += point[column] - clusters.means[group, column]


@compiled
def growth(clusters: Clusters, group: int) -> float:
    """What its squared error would grow by; nothing where nothing is offered."""
    if clusters.extra[group] == 0:
        return 0.0
    shift = 0.0
    for value in clusters.shifts[group]:
        shift += value * value
    return float(clusters.squares[group] - shift / (clusters.sizes[group] + clusters.extra[group]))


@compiled
def withdraw(clusters: Clusters, group: int) -> None:
    """Forget what was offered to a group."""
    clusters.extra[group], clusters.squares[group], clusters.shifts[group] = 0, 0.0, 0.0


@compiled
def hand_over(points: Points, clusters: Clusters, record: int, group: int) -> None:
    """Chain a record that was offered to a group to it; its old group is given up as a whole."""
    clusters.after[record], clusters.head[group] = clusters.head[group], record
    clusters.sums[group] += points[record]


@compiled
def settle(clusters: Clusters, group: int) -> None:
    """Bring the moments of a group up to date after it was given what it was offered."""
    clusters.losses[group] += growth(clusters, group)
    clusters.sizes[group] += clusters.extra[group]
    clusters.means[group] = clusters.sums[group] / clusters.sizes[group]
    withdraw(clusters, group)
