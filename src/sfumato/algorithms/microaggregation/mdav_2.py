"""MDAV-2: MDAV-1 with a second stage that dissolves groups, and the function that makes its groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.dissolving import dissolve_groups, heaviest_first
from sfumato.algorithms.microaggregation.group_sizes import split
from sfumato.algorithms.microaggregation.mdav import mdav_groups


@dataclass(frozen=True, kw_only=True)
class Mdav2(Microaggregation):
    """MDAV-1 with a second stage: dissolves groups where that lowers the squared error, and splits large ones again.

    The second stage goes through the groups, the one with the largest squared error first, and dissolves a group if the
    squared error of all falls when its records join the nearest other groups. The centroids of those do not change
    while records join. MDAV-1 then groups those with 2k records or more again. Groups have k to 2k - 1 records.

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
        return mdav_2_groups(points, k)


def mdav_2_groups(points: Points, k: int) -> Labels:
    """Make groups by MDAV-1, dissolve those whose records fit better elsewhere, and split those that became too large.

    The group with the largest squared error is tried first.
    """
    labels = _mdav_1(points, k)
    return split(points, dissolve_groups(points, labels, heaviest_first(points, labels)), k, _mdav_1)


def _mdav_1(points: Points, k: int) -> Labels:
    return mdav_groups(points, k, ending="mdav_1")
