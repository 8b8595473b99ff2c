"""DBA: the records that lie closest together first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Dba(Microaggregation):
    """Density-based microaggregation: the record whose neighbourhood is densest and its k - 1 nearest become a group.

    A neighbourhood is the denser, the less its k records are spread around their own centroid; that is judged anew
    among the records that are left. The last few join the nearest group. In the second stage every group, from the last
    to the first, is given up if the squared error falls when its records join the nearest other groups, and those that
    have reached 2k records are grouped anew by MDAV-1. Groups have k to 2k - 1 records.

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

    stage: Literal[1, 2] = param(2, doc="1: groups as first found; 2: bad groups given up, large ones cut")

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.dba_groups import dba_1_groups, dba_2_groups

        return dba_1_groups(points, k) if self.stage == 1 else dba_2_groups(points, k)
