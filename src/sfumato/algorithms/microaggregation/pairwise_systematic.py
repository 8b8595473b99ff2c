"""P-S (pairwise-systematic microaggregation): the algorithm and the function that makes its groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.systematic_microaggregation import row_sums
from sfumato.settings.params import param

Nearest = Literal["seed", "centroid"]
Last = Literal["held", "retaken"]


@dataclass(frozen=True, kw_only=True)
class PairwiseSystematic(Microaggregation):
    """Pairwise-systematic microaggregation: sorts records by their sums and makes groups of k at both ends.

    While 3k records are left, the first record and the last record are each grouped with their k - 1 nearest. Of the
    rest the first record makes one more group if there are 2k, and all others are the last group, so groups have k to
    2k - 1 records. Nearest can mean nearest to the centroid of the members so far, which gives the least squared error,
    or nearest to the seed.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "40", "41", "60", "61", "62"]})
    >>> PairwiseSystematic().anonymize(ages, KAnonymity(k=2)).groups.sizes.tolist()
    [2, 3, 2]

    References: Kabir, Wang and Zhang (2010), A pairwise-systematic microaggregation for statistical disclosure control;
    Kabir (2010), section 6.4.
    """

    nearest: Nearest = param("centroid", doc="what a record that joins a group is nearest to")
    last: Last = param(
        "held", doc="whether the last record is held back from the first group, or may join it and is replaced"
    )

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        return pairwise_groups(points, k, nearest=self.nearest, last=self.last)


def pairwise_groups(points: Points, k: int, *, nearest: Nearest = "centroid", last: Last = "held") -> Labels:
    """Make groups around the first and the last record by sum while 3k are left, then one more, then one of the rest.

    A group takes in the record `nearest` to its seed, or to the centroid of its members so far. The `last` record is
    held back from the group of the first record, or it may join that group and the next one from the end replaces it.
    """
    from sfumato.algorithms.microaggregation.loops.pairwise_systematic import end_groups

    sums = row_sums(points)
    ascending, descending = (np.argsort(key, kind="stable").astype(np.int32) for key in (sums, -sums))
    return end_groups(points, k, ascending, descending, nearest == "centroid", last == "held")
