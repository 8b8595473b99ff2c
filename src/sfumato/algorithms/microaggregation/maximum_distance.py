"""Maximum distance (MD): the algorithm and the function that makes its groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.group_sizes import assign_leftovers
from sfumato.settings.params import param

Leader = Literal["outermost", "lowest"]
"""Which of the two records farthest from each other takes its nearest records first."""


@dataclass(frozen=True, kw_only=True)
class MaximumDistance(Microaggregation):
    """Maximum distance (MD): the two records farthest from each other each lead a group with their k - 1 nearest.

    This is repeated while 2k records are left. Then k to 2k - 1 records become the last group; fewer than k each join
    the group with the nearest centroid. Groups have k to 2k - 1 records. The `leader` of the two is grouped first: the
    record further from the mean, or the record in the lower row; in the second case the order of rows matters. The
    search for the farthest pair does not compare all pairs each time, and finds the same groups as if it did.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "40", "60", "61", "62"]})
    >>> MaximumDistance().anonymize(ages, KAnonymity(k=3)).recoding.labels["age"].texts
    ('26.5', '61')

    References: Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation for statistical
    disclosure control; Kabir (2010), section 6.2.
    """

    most_rows = 20_000

    leader: Leader = param(
        "outermost", doc="which of the two is grouped first: that further from the mean, or the lower row"
    )

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        return maximum_distance_groups(points, k, self.leader)


def maximum_distance_groups(points: Points, k: int, leader: Leader = "outermost") -> Labels:
    """Make pairs of groups while 2k records are left, then one group if at least k are left.

    Fewer than k records join the groups with the nearest centroids. The `leader` is the one of the two farthest records
    that takes its nearest records first.

    >>> maximum_distance_groups(np.array([[0.0], [10.0], [1.0], [11.0], [4.0]]), 2).tolist()
    [1, 0, 1, 0, 1]
    """
    if len(points) < 2 * k:
        return np.zeros(len(points), dtype=np.int32)
    from sfumato.algorithms.microaggregation.loops.maximum_distance import farthest_pairs

    labels = farthest_pairs(points, k, outermost=leader == "outermost")
    left = labels < 0
    if left.sum() >= k:
        labels[left] = labels.max() + 1
    return assign_leftovers(points, labels)
