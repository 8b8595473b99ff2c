"""Pairs of groups from both ends of an order."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.sorting import row_sums

Labels = NDArray[np.int32]
Points = NDArray[np.float64]
Nearest = Literal["seed", "centroid"]
Last = Literal["held", "retaken"]


def pairwise_groups(points: Points, k: int, *, nearest: Nearest = "centroid", last: Last = "held") -> Labels:
    """Groups around the first and the last record by their sums while 3k are left, then one more, then the rest.

    A group takes in the record `nearest` to its seed, or to the centroid of its members so far. The `last` record is
    held back from the group of the first, or it may join and whoever is last then takes its place.
    """
    from sfumato.algorithms.microaggregation.loops.pairwise_systematic import end_groups

    sums = row_sums(points)
    ups, downs = (np.argsort(key, kind="stable").astype(np.int32) for key in (sums, -sums))
    return end_groups(points, k, ups, downs, nearest == "centroid", last == "held")
