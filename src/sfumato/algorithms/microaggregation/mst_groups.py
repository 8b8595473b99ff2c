"""Groups that are left when a minimum spanning tree is cut, and what becomes of those that are too large."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.cbfs_groups import cbfs_groups
from sfumato.algorithms.microaggregation.maximum_distance_groups import Leader, diameter_groups
from sfumato.algorithms.microaggregation.mdav_groups import mdav_groups
from sfumato.algorithms.microaggregation.splitting import split

Labels = NDArray[np.int32]
Points = NDArray[np.float64]

Split = Literal["diameter", "cbfs", "mdav"]

_SPLITS: dict[Split, Callable[[Points, int], Labels]] = {
    "cbfs": cbfs_groups,
    "mdav": partial(mdav_groups, ending="mdav"),
}


def mst_groups(points: Points, k: int, splitting: Split, leader: Leader = "outermost") -> Labels:
    """Cut the tree's edges, longest first, where both parts keep k records; split parts of 2k and more.

    The `leader` is for splitting by diameter.

    >>> mst_groups(np.array([[0.0], [10.0], [1.0], [11.0], [4.0]]), 2, "diameter").tolist()
    [0, 1, 0, 1, 0]
    """
    from sfumato.algorithms.microaggregation.loops.mst import cut_tree, spanning_tree

    anew = _SPLITS.get(splitting, partial(diameter_groups, leader=leader))
    return split(points, cut_tree(spanning_tree(points), k), k, anew)
