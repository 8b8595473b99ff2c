"""MDAV-2: MDAV, improved by giving up groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points


@dataclass(frozen=True, kw_only=True)
class Mdav2(Microaggregation):
    """MDAV-1 with a second stage: groups that do more harm than good are given up, and large ones are cut again.

    Every group, the most spread out first, is given up if the squared error falls when its records join the nearest
    other groups, whose centroids stay where they are meanwhile. Groups that have reached 2k records are then grouped
    anew by MDAV-1. Groups have k to 2k - 1 records.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "24", "60", "61", "62"]})
    >>> Mdav2().anonymize(ages, KAnonymity(k=3)).groups.sizes.tolist()
    [4, 3]

    References: Lin, Wen, Hsieh and Chang (2010), Density-based microaggregation for statistical disclosure control;
    Kabir (2010), sections 6.2 and 6.5.
    """

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.mdav_2_groups import mdav_2_groups

        return mdav_2_groups(points, k)
