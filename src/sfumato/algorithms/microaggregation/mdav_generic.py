"""MDAV-generic: MDAV for columns of all kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.mdav import FEW, mdav_groups
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class MdavGeneric(Microaggregation):
    """MDAV where distance and centroid depend on the kind of a column: numbers, ranks or categories.

    The groups are those of `mdav` and have k to 2k - 1 records. Of categories a group publishes the one with the least
    total distance in the taxonomy to its members, where `mdav` publishes the most frequent one.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> MdavGeneric().anonymize(hospital(), KAnonymity(k=3)).groups.sizes.tolist()
    [3, 4]

    References: Domingo-Ferrer and Torra (2005), "Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation".
    """

    category: Literal["mode", "median"] = param(
        "median", doc="what it publishes of categories: the commonest, or the one nearest to all by the taxonomy"
    )

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        return mdav_groups(points, k, ending="generic", few=self.rows_at_once is None and len(points) <= FEW)
