"""V-MDAV (variable-size MDAV): the algorithm and the function that makes its groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.group_sizes import assign_leftovers
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class VMdav(Microaggregation):
    """Variable-size MDAV: a group of k also takes in records much nearer to it than to any other free record.

    Groups start at the record farthest from the centroid of all. After k records, the free record nearest to a member
    joins if that distance is less than `gamma` times its distance to the nearest other free record, up to 2k - 1
    records. The last records, fewer than k, join the nearest group, which can then have more than 2k - 1.

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
        return v_mdav_groups(points, k, self.gamma)


def v_mdav_groups(points: Points, k: int, gamma: float) -> Labels:
    """Make groups of k around the record farthest from the centroid of all, and let them grow up to 2k - 1.

    The record nearest to a member of the group joins if that distance is less than `gamma` times its distance to the
    nearest other free record. The last records, fewer than k, join the nearest group, whatever its size.
    """
    from sfumato.algorithms.microaggregation.loops.v_mdav import variable_size_groups

    return assign_leftovers(points, variable_size_groups(points, k, gamma, points.mean(axis=0)))
