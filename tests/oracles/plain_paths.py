"""Walks through points and the cheapest way to cut them, by looking at everything."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.oracles.plain_microaggregation import Groups, Points, middle, spread, squares


def walk(points: Points, start: int, some: list[int]) -> list[int]:
    """From `start` always on to the nearest of those that are left, the first of several."""
    order, left = [start], [one for one in some if one != start]
    while left:
        order.append(left.pop(int(np.argmin(squares(points[left], points[order[-1]])))))
    return order


def farthest_first(points: Points, centre: Points) -> list[int]:
    """A walk through all, from the one farthest from a centre."""
    return walk(points, int(np.argmax(squares(points, centre))), list(range(len(points))))


def chained(points: Points, groups: Groups) -> list[int]:
    """Group by group along their means, and record by record inside."""
    centre = points.mean(axis=0)
    turns = farthest_first(np.array([middle(points, group) for group in groups]), centre)
    order: list[int] = []
    for turn in turns:
        group = sorted(groups[turn])
        distances = squares(points[group], points[order[-1]] if order else centre)
        start = group[int(np.argmin(distances) if order else np.argmax(distances))]
        order += walk(points, start, group)
    return order


def every_cut(n: int, k: int) -> Iterator[list[int]]:
    """Where runs can end, all of them of at least k."""
    if n >= k:
        yield [n]
    for first in range(k, n - k + 1):
        for ends in every_cut(n - first, k):
            yield [first, *(first + end for end in ends)]


def least_cut(points: Points, k: int) -> float:
    """The least squared error of all ways to cut points in this order into runs of at least k."""
    n = len(points)
    known = {(start, stop): spread(points, list(range(start, stop))) for stop in range(n + 1) for start in range(stop)}
    cuts = every_cut(n, k)
    return min(sum(known[run] for run in zip([0, *ends[:-1]], ends, strict=True)) for ends in cuts)
