"""Groups along a way through all records: the way is a guess, the groups are the best on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.cbfs_groups import cbfs_groups
from sfumato.algorithms.microaggregation.line_groups import line_groups
from sfumato.algorithms.microaggregation.maximum_distance_groups import Leader, maximum_distance_groups
from sfumato.algorithms.microaggregation.mdav_groups import mdav_groups
from sfumato.algorithms.microaggregation.merging import centroids

Labels = NDArray[np.int32]
Points = NDArray[np.float64]

Path = Literal["npn", "md", "mdav", "cbfs"]

_GUIDES: dict[Path, Callable[[Points, int], Labels]] = {
    "mdav": partial(mdav_groups, ending="mdav"),
    "cbfs": cbfs_groups,
}


def path_groups(points: Points, k: int, path: Path, leader: Leader = "outermost") -> Labels:
    """Walk from record to record, or from group to group of another method, and cut the way where it costs least.

    The `leader` is for the groups of maximum distance.
    """
    from sfumato.algorithms.microaggregation.loops.mhm import nearest_next

    if path == "npn":
        return line_groups(points, nearest_next(points, points.mean(axis=0)), k)
    guide = _GUIDES.get(path, partial(maximum_distance_groups, leader=leader))
    return line_groups(points, chained(points, guide(points, k)), k)


def chained(points: Points, labels: Labels) -> NDArray[np.int32]:
    """Records group by group, so that groups and records next to each other are near.

    The group whose centroid is furthest from the mean of all comes first, and after each the one whose centroid is
    nearest. Inside a group the record nearest to the one before is always the next.
    """
    from sfumato.algorithms.microaggregation.loops.mhm import nearest_next, threaded

    centre, groups = points.mean(axis=0), int(labels.max()) + 1
    turn = np.empty(groups, dtype=np.int64)
    turn[nearest_next(centroids(points, labels), centre)] = np.arange(groups)
    members = np.argsort(turn[labels], kind="stable").astype(np.int32)
    return threaded(points, members, np.cumsum(np.bincount(turn[labels])), centre)
