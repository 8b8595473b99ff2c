"""TFRP: groups far from two fixed corners of the data, in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Tfrp(Microaggregation):
    """Two fixed reference points: whoever is furthest from one corner, then from the other, gets the k - 1 nearest.

    One corner has the least number of the whole (standardized) table in every column, the other the greatest. The last
    few records join the nearest group. In the second stage every group, the most spread out first, is given up if the
    squared error falls when its records join the nearest other groups; those that have reached 2k records are then
    grouped anew. Groups have k to 2k - 1 records.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["20", "21", "40", "41", "42", "60", "61"]})
    >>> [Tfrp(stage=stage).anonymize(ages, KAnonymity(k=2)).groups.sizes.tolist() for stage in (1, 2)]
    [[2, 3, 2], [2, 3, 2]]

    References: Chang, Li and Huang (2007), TFRP: An efficient microaggregation algorithm for statistical disclosure
    control; Kabir (2010), sections 6.2 and 6.5.
    """

    stage: Literal[1, 2] = param(2, doc="1: groups as first found; 2: bad groups given up, large ones cut")
    capped: bool = param(False, doc="let no group grow above 4k - 1 records while others are given up")

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.tfrp_groups import tfrp_1_groups, tfrp_2_groups

        if self.stage == 1:
            return tfrp_1_groups(points, k)
        return tfrp_2_groups(points, k, most=4 * k - 1 if self.capped else None)
