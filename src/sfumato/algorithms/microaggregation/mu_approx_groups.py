"""Groups from a forest of small trees, whose loss stays within a factor of the least possible."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.mdav_groups import mdav_groups
from sfumato.algorithms.microaggregation.splitting import split

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def mu_approx_groups(points: Points, k: int) -> Labels:
    """Link every tree of fewer than k to its nearest, take large trees apart, and halve what still has 2k or more.

    Trees wait for their turn from the outside of the table in. Of a tree that is still too large the record furthest
    from its mean and the k - 1 nearest become one group, the others another.
    """
    if len(points) < 2 * k:
        return np.zeros(len(points), dtype=np.int32)
    from sfumato.algorithms.microaggregation.loops.mu_approx import grow_forest
    from sfumato.algorithms.microaggregation.loops.tree_splitting import felled

    order = np.argsort(-((points - points.mean(axis=0)) ** 2).sum(axis=1), kind="stable").astype(np.int32)
    labels = felled(points, grow_forest(points, k, order), k)
    return split(points, labels, k, partial(mdav_groups, ending="generic"))
