"""MDAV-1: MDAV whose last group takes k records only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.base import Microaggregation


@dataclass(frozen=True, kw_only=True)
class Mdav1(Microaggregation):
    """Like `mdav`, but of the last k to 2k - 1 records one group takes k, and each of the others joins the nearest.

    That one is the group of the record farthest from the mean of the last ones. A record that joins a group late goes
    where the mean is nearest, and means are those of before.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["20", "21", "30", "44", "45"]})
    >>> Mdav1().anonymize(ages, KAnonymity(k=2)).groups.sizes.tolist()
    [3, 2]

    References: Lin, Wen, Hsieh and Chang (2010), "Density-based microaggregation for statistical disclosure control".
    """

    def _partition(self, points: NDArray[np.float64], k: int, random: np.random.Generator) -> NDArray[np.int32]:
        from sfumato.algorithms.microaggregation.mdav_groups import mdav_groups

        return mdav_groups(points, k, ending="mdav_1")
