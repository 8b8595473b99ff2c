"""Groups of records that are all alike, where any will do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def all_alike(points: Points) -> bool:
    """Whether all points lie at one place."""
    return bool((points == points[0]).all())


def dealt_out(records: int, k: int) -> Labels:
    """Groups of k in a row, as many as there can be; the last one takes those that are left over.

    >>> dealt_out(7, 3).tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """
    return np.minimum(np.arange(records) // k, max(records // k, 1) - 1).astype(np.int32)
