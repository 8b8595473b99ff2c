"""Sums of columns that stay exact while points are subtracted.

Every sum is two numbers, the rounded sum and the rounding error (Knuth's two-sum), which together have about twice the
precision of float64. After a million subtractions the first number is still, in practice, the sum of the remaining
points rounded once, the same as a new sum in any order. Cost: about ten operations per value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Sums = NDArray[np.float64]
Points = NDArray[np.float64]


@compiled
def exact_sums(points: Points) -> Sums:
    """The sum of every column in row 0, and its rounding error in row 1."""
    sums = np.zeros((2, points.shape[1]))
    for row in range(len(points)):
        for column in range(points.shape[1]):
            _add(sums, column, points[row, column])
    return sums


@compiled
def subtract(sums: Sums, point: Points) -> None:
    """Subtract a point from the sums."""
    for column in range(len(point)):
        _add(sums, column, -point[column])


@compiled
def _add(sums: Sums, column: int, value: float) -> None:
    """Add a value to the sum of a column."""
    # two-sum: the bracket below is exactly what rounding `old + value` has lost
    old = sums[0, column]
    rounded = old + value
    share = rounded - old
    lost = sums[1, column] + ((old - (rounded - share)) + (value - share))
    # renormalize, so that row 0 is the nearest float64 to the sum of both rows
    total = rounded + lost
    sums[0, column] = total
    sums[1, column] = lost - (total - rounded)


@compiled
def exact_means(points: Points, labels: NDArray[np.int32], groups: int) -> Points:
    """The mean of every group, from exact sums; records with a negative label belong to no group."""
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
