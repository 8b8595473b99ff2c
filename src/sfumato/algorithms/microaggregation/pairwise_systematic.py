"""P-S: groups from both ends of an order, two at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class PairwiseSystematic(Microaggregation):
    """Pairwise-systematic microaggregation: records are sorted by their sums, and both ends become groups of k.

    While 3k records are left, the first of them gets its k - 1 nearest and so does the last. Of the rest the first
    makes one more group if there are 2k, and all others are the last group, so groups have k to 2k - 1 records.
    Nearest can mean nearest to the centroid of the members so far, which costs the least squared error, or to the seed.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "40", "41", "60", "61", "62"]})
    >>> PairwiseSystematic().anonymize(ages, KAnonymity(k=2)).groups.sizes.tolist()
    [2, 3, 2]

    References: Kabir, Wang and Zhang (2010), A pairwise-systematic microaggregation for statistical disclosure control;
    Kabir (2010), section 6.4.
    """

    nearest: Literal["seed", "centroid"] = param("centroid", doc="what a record that joins a group is nearest to")
    last: Literal["held", "retaken"] = param(
        "held", doc="whether the last record is held back from the first group, or may join it and is replaced"
    )

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.pairwise_groups import pairwise_groups

        return pairwise_groups(points, k, nearest=self.nearest, last=self.last)
