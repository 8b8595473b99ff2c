"""Brute force over every partition of a few points into groups of at least k: the least squared errors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Members = tuple[int, ...]


def sse(points: NDArray[np.float64], labels: NDArray[np.int32]) -> float:
    """The squared distances of all points from the mean of their group, group by group."""
    groups = [points[labels == label] for label in np.unique(labels)]
    return float(sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups))


def partitions(items: Members, k: int) -> Iterator[tuple[Members, ...]]:
    """Every way to split some items into groups of at least k; of any size beyond that."""
    if not items:
        yield ()
        return
    first, rest = items[0], items[1:]
    for size in range(k, len(items) + 1):
        for fellows in combinations(rest, size - 1):
            left = tuple(item for item in rest if item not in fellows)
            for others in partitions(left, k):
                yield ((first, *fellows), *others)


def least_sse(points: NDArray[np.float64], k: int) -> float:
    """The smallest SSE of all partitions; inf where there are fewer than k points."""
    known: dict[Members, float] = {}

    def cost(group: Members) -> float:
        if group not in known:
            known[group] = sse(points[list(group)], np.zeros(len(group), dtype=np.int32))
        return known[group]

    every = partitions(tuple(range(len(points))), k)
    return min((sum(cost(group) for group in groups) for groups in every), default=np.inf)
