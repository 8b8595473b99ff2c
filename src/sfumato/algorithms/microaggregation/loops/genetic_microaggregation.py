"""Compiled loops of genetic microaggregation: of many partitions of some points the better ones are crossed.

A chromosome has the group number of every point. Every change is repaired at once, so that a number is used by k to 2k
- 1 points or by none. Sizes and sums of groups are stored with the chromosome, so that a point joins or leaves a group
in O(columns), without a pass over the group. A child costs O(n * columns), and O(groups * columns) more for each point
that must be placed again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.farthest_point import squared_distance
from sfumato.kernels.random import Chance, draw
from sfumato.runtime.representations import sizes_only

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]

MUTATED_SHARE = 0.5
"""The share of children that are also mutated."""


class Chromosome(NamedTuple):
    """The group of every point, -1 for points without a group, and the sizes and sums of all groups."""

    points: Points
    labels: Numbers
    sizes: NDArray[np.int64]
    sums: Points

    def __repr__(self) -> str:
        return sizes_only(self)


@compiled
def chromosome(points: Points, k: int) -> Chromosome:
    """A chromosome in which no point has a group; it has one more group number than the points can fill."""
    numbers = len(points) // k + 1
    labels = np.full(len(points), -1, dtype=np.int32)
    return Chromosome(points, labels, np.zeros(numbers, dtype=np.int64), np.zeros((numbers, points.shape[1])))


@compiled
def join(child: Chromosome, point: int, group: int) -> None:
    """Put a point without a group into a group."""
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
    # the number will be used again, and what rounding left must not move the next group's mean
    if child.sizes[group] == 0:
        child.sums[group] = 0.0


@compiled
def dissolve(child: Chromosome, group: int) -> None:
    """Take all points out of a group."""
    child.labels[child.labels == group] = -1
    child.sizes[group] = 0
    child.sums[group] = 0.0


@compiled
def place(child: Chromosome, point: int, k: int) -> None:
    """Put a point into the group with the nearest mean that has room; where none has, split the nearest group in two.

    There must be at least one group.
    """
    # a group of 2k - 2 points is the largest that may take in another one
    group = _nearest(child, child.points[point], 2 * k - 2)
    if group >= 0:
        join(child, point, group)
        return
    group = _nearest(child, child.points[point], len(child.labels))
    # no group has room: the point and its k - 1 nearest of the nearest group become a new group, under an unused number
    free = int(np.argmin(child.sizes))
    members = np.flatnonzero(child.labels == group)
    distances = np.array([squared_distance(child.points[point], child.points[member]) for member in members])
    join(child, point, free)
    for at in np.argsort(distances, kind="mergesort")[: k - 1]:
        leave(child, members[at])
        join(child, members[at], free)


@compiled
def _nearest(child: Chromosome, point: Points, most: int) -> int:
    """The group in use with the nearest mean, among those of at most `most` points; -1 if there is none."""
    best, found = np.inf, -1
    for group in range(len(child.sizes)):
        if 0 < child.sizes[group] <= most:
            distance = squared_distance(point, child.sums[group] / child.sizes[group])
            if found < 0 or distance < best:
                best, found = distance, group
    return found


@compiled
def squared_error(child: Chromosome) -> float:
    """The sum of the squared distances of all points from the mean of their group."""
    total = 0.0
    means = child.sums.copy()
    for group in range(len(means)):
        if child.sizes[group] > 0:
            means[group] /= child.sizes[group]
    for point in range(len(child.labels)):
        total += squared_distance(child.points[point], means[child.labels[point]])
    return total


@compiled
def renumber(labels: Numbers) -> Numbers:
    """The same groups, numbered from 0 without gaps in the order of their first points."""
    number, groups = np.full(labels.max() + 1, -1, dtype=np.int32), 0
    found = np.empty(len(labels), dtype=np.int32)
    for point in range(len(labels)):
        if number[labels[point]] < 0:
            number[labels[point]] = groups
            groups += 1
        found[point] = number[labels[point]]
    return found


@compiled
def evolve(points: Points, k: int, population: int, children: int, chance: Chance) -> Numbers:
    """The best partition after this number of children: groups of k to 2k - 1 points, numbered from 0 without gaps.

    There must be at least 2k points. `partitions` has the labels of the population, one row each, and `errors` their
    squared errors.
    """
    n = len(points)
    partitions, errors = np.empty((population, n), dtype=np.int32), np.empty(population)
    child = chromosome(points, k)
    for one in range(population):
        _random(child, k, chance)
        partitions[one], errors[one] = child.labels, squared_error(child)
    # invariant: every partition has groups of k to 2k - 1 points, and the best one is never replaced by a worse one
    for _ in range(children):
        mother, father = _tournament_winner(errors, chance), _tournament_winner(errors, chance)
        # crossover: a copy of one parent, and one whole group of the other
        _copy(child, partitions[mother])
        _inherit(child, partitions[father], k, chance)
        if draw(chance) < MUTATED_SHARE:
            _exchange(child, k, chance)
        error = squared_error(child)
        # the child replaces the worst chromosome, if it is better and not a copy of one that is there
        worst = int(np.argmax(errors))
        if error < errors[worst] and not _has_error(errors, error):
            partitions[worst], errors[worst] = child.labels, error
    return renumber(partitions[int(np.argmin(errors))])


@compiled
def _random(child: Chromosome, k: int, chance: Chance) -> None:
    """Distribute the points at random over a random number of groups that is possible."""
    n = len(child.labels)
    fewest, most = -(-n // (2 * k - 1)), n // k
    groups = fewest + int(draw(chance) * (most - fewest + 1))
    order = np.arange(n)
    # a random order (Fisher and Yates), whose records are then assigned to the groups in turn
    for at in range(n - 1, 0, -1):
        other = int(draw(chance) * (at + 1))
        order[at], order[other] = order[other], order[at]
    labels = np.empty(n, dtype=np.int32)
    for at in range(n):
        labels[order[at]] = at % groups
    _copy(child, labels)


@compiled
def _copy(child: Chromosome, labels: Numbers) -> None:
    """Make the child a copy of a parent."""
    child.labels[:] = -1
    child.sizes[:] = 0
    child.sums[:] = 0.0
    for point in range(len(labels)):
        join(child, point, labels[point])


@compiled
def _tournament_winner(errors: Points, chance: Chance) -> int:
    """The better of two chromosomes that are drawn at random (tournament selection)."""
    one, other = int(draw(chance) * len(errors)), int(draw(chance) * len(errors))
    return one if errors[one] <= errors[other] else other


@compiled
def _has_error(errors: Points, error: float) -> bool:
    """Whether a chromosome has this error already; copies of one chromosome would otherwise fill the population."""
    for one in range(len(errors)):
        if errors[one] == error:
            return True
    return False


@compiled
def _inherit(child: Chromosome, father: Numbers, k: int, chance: Chance) -> None:
    """Put one group of the other parent into the child as a whole, and place the points that lost their group."""
    # a group of a random point, so that large groups are inherited more often
    group = father[int(draw(chance) * len(father))]
    for point in range(len(father)):
        if father[point] == group:
            leave(child, point)
    # an unused number exists: the points fill at most n // k groups, and there is one number more
    free = int(np.argmin(child.sizes))
    for point in range(len(father)):
        if father[point] == group:
            join(child, point, free)
    for other in range(len(child.sizes)):
        # groups that lost too many points are dissolved, and their points are placed again below
        if 0 < child.sizes[other] < k:
            dissolve(child, other)
    for point in range(len(child.labels)):
        if child.labels[point] < 0:
            place(child, point, k)


@compiled
def _exchange(child: Chromosome, k: int, chance: Chance) -> None:
    """Exchange two random points of different groups, or move one of them where there is room."""
    n = len(child.labels)
    one, other = int(draw(chance) * n), int(draw(chance) * n)
    here, there = child.labels[one], child.labels[other]
    if here == there:
        return
    leave(child, one)
    # a move alone is possible if one group keeps k points and the other has room
    if child.sizes[here] >= k and child.sizes[there] < 2 * k - 1 and draw(chance) < 0.5:
        join(child, one, there)
        return
    leave(child, other)
    join(child, one, there)
    join(child, other, here)
