"""DBA (density-based microaggregation): the algorithm and the functions that make the groups of its two stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.dissolving import dissolve_groups, latest_first
from sfumato.algorithms.microaggregation.group_sizes import assign_leftovers, split
from sfumato.algorithms.microaggregation.mdav import mdav_groups
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Dba(Microaggregation):
    """Density-based microaggregation: groups the record with the densest neighbourhood and its k - 1 nearest records.

    A neighbourhood is k records; it is denser if the sum of their squared distances from their centroid is smaller. The
    density is computed again among the records that are not yet grouped. The last records, fewer than k, join the
    nearest groups. The second stage goes through the groups from the last to the first and dissolves a group if the
    squared error falls when its records join the nearest other groups. It then groups those with 2k records or more
    again by MDAV-1. Groups have k to 2k - 1 records.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["20", "24", "40", "41", "42", "60", "66"]})
    >>> Dba().anonymize(ages, KAnonymity(k=2)).recoding.labels["age"].texts
    ('22', '41', '63')

    References: Lin, Wen, Hsieh and Chang (2010), Density-based microaggregation for statistical disclosure control;
    Kabir (2010), sections 6.2 and 6.5.
    """

    most_rows = 300_000

    stage: Literal[1, 2] = param(
        2, doc="1: groups of the first stage; 2: some dissolved where the loss falls, large ones split"
    )

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        return dba_1_groups(points, k) if self.stage == 1 else dba_2_groups(points, k)


def dba_1_groups(points: Points, k: int) -> Labels:
    """The groups of the first stage: the densest neighbourhood of k records among the free ones, repeatedly."""
    from sfumato.algorithms.microaggregation.loops.dba import dense_groups

    return assign_leftovers(points, dense_groups(points, k))


def dba_2_groups(points: Points, k: int) -> Labels:
    """The groups of the second stage.

    Groups are dissolved, the last one first, where that lowers the squared error. MDAV-1 splits those that became too
    large.
    """
    labels = dba_1_groups(points, k)
    kept = dissolve_groups(points, labels, latest_first(labels))
    return split(points, kept, k, lambda members, k: mdav_groups(members, k, ending="mdav_1"))
