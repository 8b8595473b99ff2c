"""What becomes of records that no group was made of: each joins the group whose centroid is nearest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def with_leftovers(points: Points, labels: Labels) -> Labels:
    """Labels in which nobody is left over (-1) any more; centroids do not move while records join.

    Of several nearest groups the one with the lowest number is joined; where there is no group, all become one.
    """
    from sfumato.kernels.neighbours.exact_sums import exact_means
    from sfumato.kernels.neighbours.nearest_centroid import nearest_centroids

    left = labels < 0
    if left.all():
        return np.zeros(len(labels), dtype=np.int32)
    joined = labels.copy()
    if left.any():
        joined[left] = nearest_centroids(points[left], exact_means(points, labels, int(labels.max()) + 1))
    return joined
