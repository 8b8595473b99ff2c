"""Sums of columns from which points are taken away, without rounding errors that pile up.

Every sum is kept as two numbers, the rounded sum and what rounding lost (Knuth's two-sum), so that after a million
subtractions it is still the sum of what is left, rounded once. Whoever adds up afresh, in any order, finds the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Sums = NDArray[np.float64]
Points = NDArray[np.float64]


@compiled
def exact_sums(points: Points) -> Sums:
    """The sum of every column, and below it what rounding lost."""
    sums = np.zeros((2, points.shape[1]))
    for row in range(len(points)):
        for column in range(points.shape[1]):
            _add(sums, column, points[row, column])
    return sums


@compiled
def subtract(sums: Sums, point: Points) -> None:
    """Take a point out of the sums."""
    for column in range(len(point)):
        _add(sums, column, -point[column])


@compiled
def _add(sums: Sums, column: int, value: float) -> None:
    old = sums[0, column]
    rounded = old + value
    share = rounded - old
    lost = sums[1, column] + ((old - (rounded - share)) + (value - share))
    total = rounded + lost
    sums[0, column] = total
    sums[1, column] = lost - (total - rounded)


@compiled
def exact_means(points: Points, labels: NDArray[np.int32], groups: int) -> Points:
    """The mean of every group, from its exact sums; records with a negative label are in none."""
    sums, sizes = np.zeros((groups, 2, points.shape[1])), np.zeros(groups)
    for row in range(len(points)):
        if labels[row] >= 0:
            sizes[labels[row]] += 1
            for column in range(points.shape[1]):
                _add(sums[labels[row]], column, points[row, column])
    means = np.empty((groups, points.shape[1]))
    for group in range(groups):
        means[group] = sums[group, 0] / sizes[group]
    return means
