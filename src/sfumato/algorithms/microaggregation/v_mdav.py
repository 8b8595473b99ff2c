"""V-MDAV: groups far out that go on growing where records lie close together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class VMdav(Microaggregation):
    """Variable-size MDAV: a group of k also takes in records that are much nearer to it than to anybody left.

    Groups start at the record furthest from the centroid of all. After k records, the free record nearest to a member
    joins if that distance is less than `gamma` times its distance to the nearest other free record, up to 2k - 1
    records. The fewer than k records left in the end join the nearest group, which can make it larger still.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["20", "21", "22", "23", "60", "61", "62", "63"]})
    >>> VMdav(gamma=1.1).anonymize(ages, KAnonymity(k=3)).groups.sizes.tolist()
    [4, 4]

    References: Solanas, Martínez-Ballesté and Domingo-Ferrer (2006), V-MDAV: A multivariate microaggregation with
    variable group size; Kabir (2010), section 6.2.
    """

    gamma: float = param(
        0.2, doc="how easily a group grows: about 0.2 for scattered records, 1.1 for clustered ones", at_least=0
    )

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.v_mdav_groups import v_mdav_groups

        return v_mdav_groups(points, k, self.gamma)
