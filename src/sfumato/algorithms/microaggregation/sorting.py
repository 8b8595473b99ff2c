"""The order of records in the systematic methods."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


def row_sums(points: Points) -> Points:
    """The columns added up, by which the systematic methods sort.

    The sorting function of Kabir (2010), equation 5.2, adds up the deviations from the mean of every column. That is
    the same less a constant, so no order depends on it, and none changes when records are left out. Adding up goes from
    the first column to the last, so that records alike have sums alike.
    """
    total = np.zeros(len(points))
    for column in points.T:
        total += column
    return total
