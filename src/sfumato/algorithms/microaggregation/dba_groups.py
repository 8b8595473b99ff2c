"""Groups by density."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.dissolving import dissolved, latest_first
from sfumato.algorithms.microaggregation.leftovers import with_leftovers
from sfumato.algorithms.microaggregation.mdav_groups import mdav_groups
from sfumato.algorithms.microaggregation.splitting import split

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def dba_1_groups(points: Points, k: int) -> Labels:
    """The record whose k - 1 nearest are closest to it and to each other, with them, again and again."""
    from sfumato.algorithms.microaggregation.loops.dba import dense_groups

    return with_leftovers(points, dense_groups(points, k))


def dba_2_groups(points: Points, k: int) -> Labels:
    """The same, then groups are given up where that helps, the last first, and those too large are cut by MDAV-1."""
    labels = dba_1_groups(points, k)
    given_up = dissolved(points, labels, latest_first(labels))
    return split(points, given_up, k, lambda members, k: mdav_groups(members, k, ending="mdav_1"))
