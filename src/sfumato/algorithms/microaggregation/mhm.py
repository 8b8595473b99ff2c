"""MHM: a path through all records, cut in the best way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.maximum_distance import MaximumDistance
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Mhm(Microaggregation):
    """Multivariate Hansen-Mukherjee: records are put in a row by some heuristic, and the row is cut in the best way.

    `npn` starts at the record furthest from the centroid and always goes on to the nearest one left. The others take
    the groups of `md`, `mdav` or `cbfs`, begin with the one furthest out, go on to the group with the nearest centroid,
    and inside a group from record to nearest record; then what is cut out can only be better than those groups. Groups
    have k to 2k - 1 records. How the authors order records inside groups is not known; their figures are near.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "40", "41", "60", "61", "62"]})
    >>> Mhm().anonymize(ages, KAnonymity(k=2)).recoding.labels["age"].texts
    ('22', '40.5', '61')

    References: Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé (2006), Efficient multivariate data-oriented
    microaggregation; Kabir (2010), section 6.2.
    """

    path: Literal["npn", "md", "mdav", "cbfs"] = param(
        "mdav", doc="the row of records: nearest point next, or along the groups of another method"
    )
    leader: Literal["outermost", "lowest"] = param(
        "outermost", doc="which of two is grouped first in the path of md: that further from the mean, or the lower row"
    )

    def _limit(self) -> int | None:
        return MaximumDistance.most_rows if self.path == "md" else None

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.path_groups import path_groups

        return path_groups(points, k, self.path, self.leader)
