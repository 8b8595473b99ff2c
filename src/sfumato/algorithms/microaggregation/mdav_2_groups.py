"""MDAV, improved by giving up groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.dissolving import dissolved, heaviest_first
from sfumato.algorithms.microaggregation.mdav_groups import mdav_groups
from sfumato.algorithms.microaggregation.splitting import split

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def mdav_2_groups(points: Points, k: int) -> Labels:
    """MDAV-1, then groups are given up where that helps, the most spread out first; those too large are cut again."""
    labels = _mdav_1(points, k)
    return split(points, dissolved(points, labels, heaviest_first(points, labels)), k, _mdav_1)


def _mdav_1(points: Points, k: int) -> Labels:
    return mdav_groups(points, k, ending="mdav_1")
