"""Groups by two fixed reference points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.dissolving import dissolved, heaviest_first
from sfumato.algorithms.microaggregation.leftovers import with_leftovers
from sfumato.algorithms.microaggregation.splitting import split

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def tfrp_1_groups(points: Points, k: int) -> Labels:
    """Groups around the record furthest from one corner, then from the other, in turn; the last few join the nearest.

    The corners have the least number of the whole table in all columns, and the greatest.
    """
    from sfumato.algorithms.microaggregation.loops.tfrp import corner_groups

    corners = np.repeat([[points.min()], [points.max()]], points.shape[1], axis=1)
    return with_leftovers(points, corner_groups(points, k, corners))


def tfrp_2_groups(points: Points, k: int, *, most: int | None = None) -> Labels:
    """The same, then groups that do more harm than good are given up, and those that grew too large are cut again."""
    labels = tfrp_1_groups(points, k)
    return split(points, dissolved(points, labels, heaviest_first(points, labels), most=most), k, tfrp_1_groups)
