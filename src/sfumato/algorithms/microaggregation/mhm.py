"""MHM (multivariate Hansen-Mukherjee): the algorithm, and the functions that build a path and cut it into groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.cbfs import cbfs_groups
from sfumato.algorithms.microaggregation.group_sizes import centroids
from sfumato.algorithms.microaggregation.hansen_mukherjee import line_groups
from sfumato.algorithms.microaggregation.maximum_distance import Leader, MaximumDistance, maximum_distance_groups
from sfumato.algorithms.microaggregation.mdav import mdav_groups
from sfumato.settings.params import param

Path = Literal["npn", "md", "mdav", "cbfs"]

_GUIDES: dict[Path, Callable[[Points, int], Labels]] = {
    "mdav": partial(mdav_groups, ending="mdav"),
    "cbfs": cbfs_groups,
}
"""The algorithms whose groups a path follows; "md" also needs a leader and is built when it is used."""


@dataclass(frozen=True, kw_only=True)
class Mhm(Microaggregation):
    """Multivariate Hansen-Mukherjee: a heuristic orders the records along a path, which is then cut optimally.

    `npn` (nearest point next) starts at the record farthest from the centroid and always continues to the nearest
    record that is left. The others take the groups of `md`, `mdav` or `cbfs`, start with the group farthest from the
    centroid, continue to the group with the nearest centroid, and inside a group from record to nearest record. The
    squared error of the cut path is never larger than that of those groups. Groups have k to 2k - 1 records. The paper
    does not say how records are ordered inside groups; the losses here are close to those it reports.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "40", "41", "60", "61", "62"]})
    >>> Mhm().anonymize(ages, KAnonymity(k=2)).recoding.labels["age"].texts
    ('22', '40.5', '61')

    References: Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé (2006), Efficient multivariate data-oriented
    microaggregation; Kabir (2010), section 6.2.
    """

    path: Path = param(
        "mdav", doc="the order of the records: nearest point next, or along the groups of another method"
    )
    leader: Leader = param(
        "outermost", doc="which of two is grouped first in the path of md: that further from the mean, or the lower row"
    )

    def _limit(self) -> int | None:
        return MaximumDistance.most_rows if self.path == "md" else None

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        return path_groups(points, k, self.path, self.leader)


def path_groups(points: Points, k: int, path: Path, leader: Leader = "outermost") -> Labels:
    """Build a path from record to record, or along the groups of another algorithm, and cut it at least cost.

    The `leader` applies to the groups of maximum distance.
    """
    from sfumato.algorithms.microaggregation.loops.mhm import nearest_next

    if path == "npn":
        return line_groups(points, nearest_next(points, points.mean(axis=0)), k)
    guide = _GUIDES.get(path, partial(maximum_distance_groups, leader=leader))
    return line_groups(points, path_along_groups(points, guide(points, k)), k)


def path_along_groups(points: Points, labels: Labels) -> NDArray[np.int32]:
    """The records in an order that goes from group to near group, and inside a group from record to near record.

    The group whose centroid is farthest from the mean of all comes first; the group with the nearest centroid follows.
    Inside a group the record nearest to the previous one follows.
    """
    from sfumato.algorithms.microaggregation.loops.mhm import nearest_next, path_through_groups

    centre, groups = points.mean(axis=0), int(labels.max()) + 1
    turn = np.empty(groups, dtype=np.int64)
    # `nearest_next` gives the groups in the order of the path; `turn` is the inverse, the place of each group.
    turn[nearest_next(centroids(points, labels), centre)] = np.arange(groups)
    members = np.argsort(turn[labels], kind="stable").astype(np.int32)
    return path_through_groups(points, members, np.cumsum(np.bincount(turn[labels])), centre)
