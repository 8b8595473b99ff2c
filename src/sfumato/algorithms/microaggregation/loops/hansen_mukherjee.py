"""The compiled loop of Hansen-Mukherjee: cuts records in a given order into runs of least squared error.

Dynamic programming over the ends of runs. `cost[end]` is the least cost of the first `end` records, and `begin[end]`
the beginning of their last run. The mean and the squared error of a run are updated record by record as it grows
backwards, which avoids the rounding errors of differences between large sums. Cost: O(n * k * columns) time, O(n)
memory.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


@compiled
def cut_line(points: Points, k: int) -> Numbers:
    """Labels of runs of k to 2k - 1 points, numbered in their order; fewer than 2k points are one run.

    The best cuts of the first points are a last run and the best cuts of the points before it. A run of 2k or more is
    never cheaper than two.
    """
    n = len(points)
    if n < 2 * k:
        return np.zeros(n, dtype=np.int32)
    cost, begin = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
    cost[0] = 0.0
    mean = np.empty(points.shape[1])
    for end in range(k, n + 1):
        # the last run of the first `end` records grows backwards from `end`, to 2k - 1 records at most
        mean[:] = 0.0
        squares = 0.0
        for size in range(1, min(2 * k - 1, end) + 1):
            squares += _add_point(mean, points[end - size], size)
            # the run is long enough; `cost[end - size]` is infinite if the records before it cannot be cut into runs of
            # k
            if size >= k and cost[end - size] + squares < cost[end]:
                cost[end], begin[end] = cost[end - size] + squares, end - size
    return _labels_of_runs(begin)


@compiled
def _add_point(mean: Points, point: Points, size: int) -> float:
    """Add a point to the mean of a run, which then has `size` points; returns the growth of the squared error."""
    apart = 0.0
    for column in range(len(mean)):
        step = point[column] - mean[column]
        apart += step * step
        mean[column] += step / size
    return apart * (size - 1) / size


@compiled
def _labels_of_runs(begin: NDArray[np.int64]) -> Numbers:
    """Labels of the runs, found backwards from the last run and then numbered from the first."""
    n = len(begin) - 1
    labels, end, groups = np.empty(n, dtype=np.int32), n, 0
    while end > 0:
        labels[begin[end] : end] = groups
        end, groups = begin[end], groups + 1
    return (groups - 1 - labels).astype(np.int32)
