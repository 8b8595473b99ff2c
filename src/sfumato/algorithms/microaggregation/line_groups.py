"""Groups of records that follow each other in some order, the best there are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def line_groups(points: Points, order: NDArray[np.int32], k: int) -> Labels:
    """The groups of least squared error among all that are runs of at least k records in this order.

    >>> line_groups(np.array([[3.0], [9.0], [1.0], [8.0], [2.0]]), np.array([2, 4, 0, 3, 1]), 2).tolist()
    [0, 1, 0, 1, 0]
    """
    from sfumato.algorithms.microaggregation.loops.hansen_mukherjee import cut_line

    labels = np.empty(len(points), dtype=np.int32)
    labels[order] = cut_line(np.ascontiguousarray(points[order]), k)
    return labels


def one_column_groups(points: Points, k: int) -> Labels:
    """The groups of least squared error there are at all; the points have one coordinate."""
    return line_groups(points, np.argsort(points[:, 0], kind="stable").astype(np.int32), k)
