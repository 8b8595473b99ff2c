"""Gives up groups whose records do better, as a whole, with the groups next to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


def dissolved(points: Points, labels: Labels, order: NDArray[np.int32], *, most: int | None = None) -> Labels:
    """Try every group in this order, and keep what lowers the squared error; labels without gaps.

    A group is given up by sending all its records to the nearest centroids of the others, which do not move meanwhile;
    that counts if all squared errors together fall. No group takes in records beyond `most`.
    """
    from sfumato.algorithms.microaggregation.loops.dissolving import dissolve

    found = dissolve(points, labels, order.astype(np.int32), len(points) if most is None else most)
    return np.unique(found, return_inverse=True)[1].astype(np.int32)


def heaviest_first(points: Points, labels: Labels) -> NDArray[np.int32]:
    """The groups by their squared error, largest first; equal ones by their number."""
    from sfumato.algorithms.microaggregation.loops.clusters import clusters_of

    return np.argsort(-clusters_of(points, labels).losses, kind="stable").astype(np.int32)


def latest_first(labels: Labels) -> NDArray[np.int32]:
    """The groups from the highest number, which was made last, to the lowest."""
    return np.arange(int(labels.max()), -1, -1, dtype=np.int32)
