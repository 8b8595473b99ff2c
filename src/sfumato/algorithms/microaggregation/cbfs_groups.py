"""Centroid-based fixed-size groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.leftovers import with_leftovers

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def cbfs_groups(points: Points, k: int) -> Labels:
    """Group after group around the record furthest from the centroid of what is left; the last few join the nearest."""
    from sfumato.algorithms.microaggregation.loops.cbfs import centroid_groups

    return with_leftovers(points, centroid_groups(points, k))
