"""The nearest of a few centroids for every point, by comparison with all centroids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


@compiled
def nearest_centroids(points: Points, centroids: Points) -> Numbers:
    """The number of the nearest centroid of every point, the lowest of several.

    Cost: at most O(points * centroids * columns).
    """
    found = np.empty(len(points), dtype=np.int32)
    for row in range(len(points)):
        best = np.inf
        for number in range(len(centroids)):
            # the sum over the columns stops once it exceeds the best distance so far
            distance = distance_below(points[row], centroids[number], best)
            if distance < best:
                best, found[row] = distance, number
    return found


@compiled
def distance_below(one: Points, other: Points, limit: float) -> float:
    """The squared distance, summed from the first column on; stops with the sum so far once that exceeds the limit."""
    total = 0.0
    for column in range(len(one)):
        apart = one[column] - other[column]
        total += apart * apart
        if total > limit:
            break
    return total
