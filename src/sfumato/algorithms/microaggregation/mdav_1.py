"""MDAV-1: MDAV whose last group has k records only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.mdav import FEW, mdav_groups


@dataclass(frozen=True, kw_only=True)
class Mdav1(Microaggregation):
    """Like `mdav`, but of the last k to 2k - 1 records k become a group, and each of the others joins the nearest.

    The last group is that of the record farthest from the mean of the last records. Each remaining record joins the
    group with the nearest mean; the means do not change while records join.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["20", "21", "30", "44", "45"]})
    >>> Mdav1().anonymize(ages, KAnonymity(k=2)).groups.sizes.tolist()
    [3, 2]

    References: Lin, Wen, Hsieh and Chang (2010), "Density-based microaggregation for statistical disclosure control".
    """

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        return mdav_groups(points, k, ending="mdav_1", few=self.rows_at_once is None and len(points) <= FEW)
