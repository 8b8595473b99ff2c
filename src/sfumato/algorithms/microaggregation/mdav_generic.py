"""MDAV-generic: MDAV for columns of all kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.base import Microaggregation
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class MdavGeneric(Microaggregation):
    """MDAV with what is nearest and what is typical left to the kind of a column: numbers, ranks or categories.

    Groups are those of `mdav`; they have k to 2k - 1 records. Of categories a group publishes the one that is nearest
    to all of its own by the taxonomy, where `mdav` publishes the commonest.

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

    def _partition(self, points: NDArray[np.float64], k: int, random: np.random.Generator) -> NDArray[np.int32]:
        from sfumato.algorithms.microaggregation.mdav_groups import mdav_groups

        return mdav_groups(points, k, ending="generic")
