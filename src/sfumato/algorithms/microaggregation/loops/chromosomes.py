"""A grouping of some points as a chromosome, with what it takes to change it point by point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.farthest_point import squared_distance

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


class Chromosome(NamedTuple):
    """The group of every point, -1 for those who have none at the moment, and the sizes and sums of all groups."""

    points: Points
    labels: Numbers
    sizes: NDArray[np.int64]
    sums: Points


@compiled
def chromosome(points: Points, k: int) -> Chromosome:
    """Nobody is in a group yet; there is one number more than groups that points can fill."""
    numbers = len(points) // k + 1
    labels = np.full(len(points), -1, dtype=np.int32)
    return Chromosome(points, labels, np.zeros(numbers, dtype=np.int64), np.zeros((numbers, points.shape[1])))


@compiled
def join(child: Chromosome, point: int, group: int) -> None:
    """Put a point that has no group into one."""
    child.labels[point] = group
    child.sizes[group] += 1
    child.sums[group] += child.points[point]


@compiled
def leave(child: Chromosome, point: int) -> None:
    """Take a point out of its group."""
    group = child.labels[point]
    child.labels[point] = -1
    child.sizes[group] -= 1
    child.sums[group] -= child.points[point]


@compiled
def dissolve(child: Chromosome, group: int) -> None:
    """Take all points out of a group."""
    child.labels[child.labels == group] = -1
    child.sizes[group] = 0
    child.sums[group] = 0.0


@compiled
def place(child: Chromosome, point: int, k: int) -> None:
    """Put a point into the group with the nearest mean that has room; where none has, the nearest is cut in two.

    There must be a group.
    """
    group = _nearest(child, child.points[point], 2 * k - 2)
    if group >= 0:
        join(child, point, group)
        return
    group = _nearest(child, child.points[point], len(child.labels))
    free = int(np.argmin(child.sizes))
    members = np.flatnonzero(child.labels == group)
    distances = np.array([squared_distance(child.points[point], child.points[member]) for member in members])
    join(child, point, free)
    for at in np.argsort(distances, kind="mergesort")[: k - 1]:
        leave(child, members[at])
        join(child, members[at], free)


@compiled
def _nearest(child: Chromosome, point: Points, most: int) -> int:
    """The group in use with the nearest mean, among those of at most so many points; -1 if there is none."""
    best, found = np.inf, -1
    for group in range(len(child.sizes)):
        if 0 < child.sizes[group] <= most:
            distance = squared_distance(point, child.sums[group] / child.sizes[group])
            if found < 0 or distance < best:
                best, found = distance, group
    return found


@compiled
def squared_error(child: Chromosome) -> float:
    """The squared distances of all points from the mean of their group."""
    total = 0.0
    means = child.sums.copy()
    for group in range(len(means)):
        if child.sizes[group] > 0:
            means[group] /= child.sizes[group]
    for point in range(len(child.labels)):
        total += squared_distance(child.points[point], means[child.labels[point]])
    return total


@compiled
def numbered(labels: Numbers) -> Numbers:
    """The same groups, numbered from 0 without gaps in the order in which they come up."""
    number, groups = np.full(labels.max() + 1, -1, dtype=np.int32), 0
    found = np.empty(len(labels), dtype=np.int32)
    for point in range(len(labels)):
        if number[labels[point]] < 0:
            number[labels[point]] = groups
            groups += 1
        found[point] = number[labels[point]]
    return found
