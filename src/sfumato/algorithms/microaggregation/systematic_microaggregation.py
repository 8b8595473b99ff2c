"""Systematic microaggregation: all groups grow at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.errors import ParameterError
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class SystematicMicroaggregation(Microaggregation):
    """Every k-th record, sorted by sums, starts a group; the others join one by one wherever they cost least.

    One record of the first k is drawn; it and every k-th after it are the seeds. Then another is drawn, and it and
    every k-th after it join the groups that lose least by them and have fewer than k yet, and so on. The last few join
    the group that loses least, so groups have k to 2k - 1 records. Late records have to go where there is room, which
    makes this much coarser than MDAV.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "60", "61", "62", "63"]})
    >>> way = SystematicMicroaggregation(order=(2, 1, 3))
    >>> way.anonymize(ages, KAnonymity(k=3)).recoding.labels["age"].texts
    ('22', '61.5')

    References: Kabir (2010), sections 5.3 and, for deviations from the median, 7.3.
    """

    randomized = True
    most_rows = 200_000

    loss: Literal["sse", "adm"] = param("sse", doc="what groups lose: squared errors, or deviations from the median")
    order: tuple[int, ...] = param((), doc="the order in which the first k records are drawn, from 1 to k; by chance")

    def __post_init__(self) -> None:
        super().__post_init__()
        if sorted(self.order) != list(range(1, len(self.order) + 1)):
            raise ParameterError("'order' of SystematicMicroaggregation must have every number from 1 to k once.")

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.systematic_groups import systematic_groups

        if self.order and len(self.order) != k:
            raise ParameterError(
                f"'order' of SystematicMicroaggregation has {len(self.order)} numbers, but groups of {k} are asked "
                f"for; give the numbers from 1 to {k}, or none to have them drawn."
            )
        order = self.order or [int(place) + 1 for place in random.permutation(k)]
        return systematic_groups(points, k, order, loss=self.loss)
