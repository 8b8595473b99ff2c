"""CBFS (centroid-based fixed-size microaggregation): the algorithm and the function that makes its groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.group_sizes import assign_leftovers


@dataclass(frozen=True, kw_only=True)
class Cbfs(Microaggregation):
    """Centroid-based fixed-size microaggregation: groups the record farthest from the centroid with its k - 1 nearest.

    The centroid is that of the records not yet grouped, so it moves with every group. The last records, fewer than k,
    each join the group with the nearest centroid. Groups have k to 2k - 1 records.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "24", "60", "61", "62"]})
    >>> Cbfs().anonymize(ages, KAnonymity(k=3)).recoding.labels["age"].texts
    ('22.5', '61')

    References: Laszlo and Mukherjee (2005), Minimum spanning tree partitioning algorithm for microaggregation; Kabir
    (2010), section 6.2.
    """

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        return cbfs_groups(points, k)


def cbfs_groups(points: Points, k: int) -> Labels:
    """Make groups of k around the record farthest from the centroid of the free records.

    The last records, fewer than k, join the groups with the nearest centroids.
    """
    from sfumato.algorithms.microaggregation.loops.cbfs import centroid_groups

    return assign_leftovers(points, centroid_groups(points, k))
