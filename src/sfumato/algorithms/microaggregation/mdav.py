"""MDAV: groups around the records farthest out, in pairs on opposite sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.base import Microaggregation
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Mdav(Microaggregation):
    """The record farthest from the mean takes its k - 1 nearest, the one farthest from it does so too, and so on.

    Only free records count, for the mean too, until too few are free for another pair. The k to 2k - 1 records that are
    left then are one group, or two where there are more. With `leftovers="nearest"` pairs are made as long as there are
    2k records, and fewer than k that are left join the groups with the nearest means. A tree of the free records finds
    the same groups as comparing all of them, in a small part of the time.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["20", "21", "25", "40", "44", "45"]})
    >>> Mdav().anonymize(ages, KAnonymity(k=3)).recoding.labels["age"].texts
    ('22', '43')

    References: Domingo-Ferrer and Mateo-Sanz (2002), "Practical data-oriented microaggregation for statistical
    disclosure control"; Domingo-Ferrer and Torra (2005).
    """

    leftovers: Literal["group", "nearest"] = param(
        "group", doc="whether the last records are a group, or join the nearest ones where they are fewer than k"
    )

    def _partition(self, points: NDArray[np.float64], k: int, random: np.random.Generator) -> NDArray[np.int32]:
        from sfumato.algorithms.microaggregation.mdav_groups import mdav_groups

        return mdav_groups(points, k, ending="generic" if self.leftovers == "group" else "mdav")
