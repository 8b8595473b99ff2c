"""Maximum distance: a group at each end of the table, again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class MaximumDistance(Microaggregation):
    """Maximum distance (MD): the two records furthest from each other each lead a group with the k - 1 nearest.

    That is repeated among the others while 2k are left. Then k to 2k - 1 records become the last group; fewer than k
    each join the group with the nearest centroid. Groups have k to 2k - 1 records. Of the two the `leader` is grouped
    first: the one further from the mean, or the lower row, and then the order of rows matters. The furthest pair is
    found without comparing all pairs each time, with the same groups.

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

    leader: Literal["outermost", "lowest"] = param(
        "outermost", doc="which of the two is grouped first: that further from the mean, or the lower row"
    )

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.maximum_distance_groups import maximum_distance_groups

        return maximum_distance_groups(points, k, self.leader)
