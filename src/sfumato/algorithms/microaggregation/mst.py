"""MST: cut the tree that connects all records most shortly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Mst(Microaggregation):
    """Minimum spanning tree microaggregation: the tree's edges are cut, longest first, if both parts keep k records.

    Groups follow the shape of the data and can be long. Those of 2k records or more that no cut could divide are split
    by the `diameter` method (then called M-d), by `cbfs` (M-c) or by `mdav`. Groups have k to 2k - 1 records.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "40", "41", "42", "60", "61"]})
    >>> Mst().anonymize(ages, KAnonymity(k=2)).recoding.labels["age"].texts
    ('22', '41', '60.5')

    References: Laszlo and Mukherjee (2005), Minimum spanning tree partitioning algorithm for microaggregation; Kabir
    (2010), section 6.2.
    """

    most_rows = 20_000

    split: Literal["diameter", "cbfs", "mdav"] = param("diameter", doc="how groups of 2k records or more are split")
    leader: Literal["outermost", "lowest"] = param(
        "outermost",
        doc="which of two is grouped first in splits by diameter: that further from the mean, or the lower row",
    )

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.mst_groups import mst_groups

        return mst_groups(points, k, self.split, self.leader)
