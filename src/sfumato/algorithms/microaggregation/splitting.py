"""Cuts groups that have become too large."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def split(points: Points, labels: Labels, k: int, anew: Callable[[Points, int], Labels]) -> Labels:
    """Every group of 2k records or more is grouped anew by itself; labels stay without gaps."""
    order, sizes = np.argsort(labels, kind="stable"), np.bincount(labels)
    stops, found, groups = np.cumsum(sizes), np.empty_like(labels), 0
    for size, stop in zip(sizes, stops, strict=True):
        members = order[stop - size : stop]
        parts = anew(points[members], k) if size >= 2 * k else np.zeros(size, dtype=np.int32)
        found[members] = parts + groups
        groups += int(parts.max()) + 1
    return found
