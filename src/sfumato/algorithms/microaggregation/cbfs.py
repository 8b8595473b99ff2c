"""CBFS: one group after the other around the record that lies furthest out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points


@dataclass(frozen=True, kw_only=True)
class Cbfs(Microaggregation):
    """Centroid-based fixed-size microaggregation: whoever lies furthest out is grouped with the k - 1 nearest.

    Furthest out means furthest from the centroid of the records that are left, which moves with every group. The fewer
    than k records left in the end each join the group with the nearest centroid, so groups have k to 2k - 1 records.

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
        from sfumato.algorithms.microaggregation.cbfs_groups import cbfs_groups

        return cbfs_groups(points, k)
