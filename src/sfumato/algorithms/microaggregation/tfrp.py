"""TFRP (two fixed reference points): the algorithm and the functions that make the groups of its two stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.dissolving import dissolve_groups, heaviest_first
from sfumato.algorithms.microaggregation.group_sizes import assign_leftovers, split
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Tfrp(Microaggregation):
    """Two fixed reference points: groups the record farthest from each of them in turn with its k - 1 nearest.

    One reference point has the smallest number of the whole (standardized) table in every column, the other the
    greatest. The last records, fewer than k, join the nearest groups. The second stage goes through the groups, the one
    with the largest squared error first, and dissolves a group if the squared error of all falls when its records join
    the nearest other groups. It then groups those with 2k records or more again. Groups have k to 2k - 1 records.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["20", "21", "40", "41", "42", "60", "61"]})
    >>> [Tfrp(stage=stage).anonymize(ages, KAnonymity(k=2)).groups.sizes.tolist() for stage in (1, 2)]
    [[2, 3, 2], [2, 3, 2]]

    References: Chang, Li and Huang (2007), TFRP: An efficient microaggregation algorithm for statistical disclosure
    control; Kabir (2010), sections 6.2 and 6.5.
    """

    stage: Literal[1, 2] = param(
        2, doc="1: groups of the first stage; 2: some dissolved where the loss falls, large ones split"
    )
    capped: bool = param(False, doc="let no group grow above 4k - 1 records while others are dissolved")

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        if self.stage == 1:
            return tfrp_1_groups(points, k)
        return tfrp_2_groups(points, k, most=4 * k - 1 if self.capped else None)


def tfrp_1_groups(points: Points, k: int) -> Labels:
    """The groups of the first stage: around the record farthest from one reference point, then from the other.

    The last records, fewer than k, join the nearest groups. The reference points have the smallest and the greatest
    number of the whole table in all columns.
    """
    from sfumato.algorithms.microaggregation.loops.tfrp import corner_groups

    corners = np.repeat([[points.min()], [points.max()]], points.shape[1], axis=1)
    return assign_leftovers(points, corner_groups(points, k, corners))


def tfrp_2_groups(points: Points, k: int, *, most: int | None = None) -> Labels:
    """The groups of the second stage: groups are dissolved where that lowers the squared error, large ones split.

    No group takes in records beyond `most` while others are dissolved.
    """
    labels = tfrp_1_groups(points, k)
    return split(points, dissolve_groups(points, labels, heaviest_first(points, labels), most=most), k, tfrp_1_groups)
