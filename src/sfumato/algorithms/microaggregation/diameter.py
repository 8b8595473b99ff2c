"""Diameter: groups at both ends of the table, and whoever is left goes to the nearest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Diameter(Microaggregation):
    """Diameter-based microaggregation (D): groups of k around the two records furthest from each other, repeatedly.

    It differs from maximum distance in the end. When fewer than 2k records are left, and at least k, one of the two
    furthest from each other leads a last group of k, and every other joins the group with the nearest centroid. Groups
    have k to 2k - 1 records.

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

    leader: Literal["outermost", "lowest"] = param(
        "outermost", doc="which of the two is grouped first: that further from the mean, or the lower row"
    )

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.maximum_distance_groups import diameter_groups

        return diameter_groups(points, k, self.leader)
