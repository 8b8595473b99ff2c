"""Records in a row are cut into runs so that the squared distances from the means of the runs are least.

The mean and the squared distances of a run that grows backwards are brought up to date record by record, so nothing
large is ever subtracted from something as large.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


@compiled
def cut_line(points: Points, k: int) -> Numbers:
    """Labels of runs of k to 2k - 1 points, numbered along the row; fewer than 2k points are one run.

    The cheapest way to cut the first points ends in some run, and what is before it is cut in the cheapest way. A run
    of 2k or more is never cheaper than two.
    """
    n = len(points)
    if n < 2 * k:
        return np.zeros(n, dtype=np.int32)
    cost, begin = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
    cost[0] = 0.0
    mean = np.empty(points.shape[1])
    for end in range(k, n + 1):
        mean[:] = 0.0
        squares = 0.0
        for size in range(1, min(2 * k - 1, end) + 1):
            squares += _join(mean, points[end - size], size)
            if size >= k and cost[end - size] + squares < cost[end]:
                cost[end], begin[end] = cost[end - size] + squares, end - size
    return _numbered(begin)


@compiled
def _join(mean: Points, point: Points, size: int) -> float:
    """Move the mean to where it is with one more point, of `size` now; what that adds to the squared distances."""
    apart = 0.0
    for column in range(len(mean)):
        step = point[column] - mean[column]
        apart += step * step
        mean[column] += step / size
    return apart * (size - 1) / size


@compiled
def _numbered(begin: NDArray[np.int64]) -> Numbers:
    """Labels of runs of which each end knows its beginning."""
    n = len(begin) - 1
    labels, end, groups = np.empty(n, dtype=np.int32), n, 0
    while end > 0:
        labels[begin[end] : end] = groups
        end, groups = begin[end], groups + 1
    return (groups - 1 - labels).astype(np.int32)
