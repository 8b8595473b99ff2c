"""Groups of variable size around records far from the centroid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.leftovers import with_leftovers

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def v_mdav_groups(points: Points, k: int, gamma: float) -> Labels:
    """Groups of k around the record furthest from the centroid of all, which go on growing up to 2k - 1.

    The record nearest to a member of the group joins if that distance is less than `gamma` times its distance to the
    nearest record that would stay behind. The last few records join the nearest group, whatever its size.
    """
    from sfumato.algorithms.microaggregation.loops.v_mdav import stretching_groups

    return with_leftovers(points, stretching_groups(points, k, gamma, points.mean(axis=0)))
