"""Diameter-based microaggregation: the algorithm and the function that makes its groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.group_sizes import assign_leftovers
from sfumato.algorithms.microaggregation.maximum_distance import Leader
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Diameter(Microaggregation):
    """Diameter-based microaggregation (D): groups of k around the two records farthest from each other, repeatedly.

    It differs from maximum distance in the last step. When k to 2k - 1 records are left, one of the two that are
    farthest from each other leads a last group of k, and every other record joins the group with the nearest centroid.
    Groups have k to 2k - 1 records.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "40", "60", "61", "62"]})
    >>> Diameter().anonymize(ages, KAnonymity(k=2)).recoding.labels["age"].texts
    ('22', '50', '61.5')

    References: Laszlo and Mukherjee (2005), Minimum spanning tree partitioning algorithm for microaggregation; Kabir
    (2010), section 6.2.
    """

    most_rows = 20_000

    leader: Leader = param(
        "outermost", doc="which of the two is grouped first: that further from the mean, or the lower row"
    )

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        return diameter_groups(points, k, self.leader)


def diameter_groups(points: Points, k: int, leader: Leader = "outermost") -> Labels:
    """Make pairs of groups while 2k records are left, then one group of k if k are left.

    All other records join the groups with the nearest centroids. The `leader` is the one of the two farthest records
    that takes its nearest records first.
    """
    if len(points) < 2 * k:
        return np.zeros(len(points), dtype=np.int32)
    from sfumato.algorithms.microaggregation.loops.maximum_distance import farthest_pairs

    return assign_leftovers(points, farthest_pairs(points, k, outermost=leader == "outermost", single=True))
