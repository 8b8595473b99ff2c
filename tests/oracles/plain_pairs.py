"""Maximum distance and its relative the obvious way: all pairs of free records compared at every step."""

from __future__ import annotations

import numpy as np

from tests.oracles.plain_microaggregation import Groups, Points, nearest_of, squares, with_leftovers, without


def farthest_pair(points: Points, free: list[int]) -> tuple[int, int]:
    """The two free records farthest from each other, the first of several."""
    best, pair = -1.0, (free[0], free[0])
    for place, one in enumerate(free):
        for other, distance in zip(free[place + 1 :], squares(points[free[place + 1 :]], points[one]), strict=True):
            if distance > best:
                best, pair = distance, (one, other)
    return pair


def leading_pair(points: Points, free: list[int], leader: str) -> tuple[int, int]:
    """The same two, that further from the mean of all first, or the lower one."""
    one, other = farthest_pair(points, free)
    away = np.sqrt(squares(points, points.mean(axis=0)))
    return (other, one) if leader == "outermost" and away[other] > away[one] else (one, other)


def pairs(points: Points, k: int, leader: str, most: int | None = None) -> tuple[Groups, list[int]]:
    """Groups around both ends while 2k records are free, at most so many pairs; and who is left."""
    free, groups = list(range(len(points))), []
    while len(free) >= 2 * k and (most is None or len(groups) < 2 * most):
        one, other = leading_pair(points, free, leader)
        groups.append(nearest_of(points, without(free, [other]), one, k))
        free = without(free, groups[-1])
        groups.append(nearest_of(points, free, other, k))
        free = without(free, groups[-1])
    return groups, free


def maximum_distance(points: Points, k: int, leader: str = "outermost") -> Groups:
    """The last k to 2k - 1 are a group."""
    groups, free = pairs(points, k, leader)
    return [*groups, free] if len(free) >= k or not groups else with_leftovers(points, groups, free)


def diameter(points: Points, k: int, leader: str = "outermost") -> Groups:
    """The last group is one of k, too."""
    groups, free = pairs(points, k, leader)
    if groups and len(free) >= k:
        groups.append(nearest_of(points, free, leading_pair(points, free, leader)[0], k))
        free = without(free, groups[-1])
    return with_leftovers(points, groups, free)
