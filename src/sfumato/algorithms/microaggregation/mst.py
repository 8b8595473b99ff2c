"""MST (minimum spanning tree microaggregation): the algorithm and the function that makes its groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation import group_sizes
from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.cbfs import cbfs_groups
from sfumato.algorithms.microaggregation.diameter import diameter_groups
from sfumato.algorithms.microaggregation.maximum_distance import Leader
from sfumato.algorithms.microaggregation.mdav import mdav_groups
from sfumato.settings.params import param

Split = Literal["diameter", "cbfs", "mdav"]

_SPLITS: dict[Split, Callable[[Points, int], Labels]] = {
    "cbfs": cbfs_groups,
    "mdav": partial(mdav_groups, ending="mdav"),
}
"""The algorithms that split large groups; "diameter" also needs a leader and is built when it is used."""


@dataclass(frozen=True, kw_only=True)
class Mst(Microaggregation):
    """Minimum spanning tree microaggregation: cuts the longest edges of the tree if both parts keep k records.

    Groups follow the shape of the data and can be long. Groups of 2k records or more that no cut could divide are split
    by the `diameter` method (then called M-d), by `cbfs` (M-c) or by `mdav`. Groups have k to 2k - 1 records.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "40", "41", "42", "60", "61"]})
    >>> Mst().anonymize(ages, KAnonymity(k=2)).recoding.labels["age"].texts
    ('22', '41', '60.5')

    References: Laszlo and Mukherjee (2005), Minimum spanning tree partitioning algorithm for microaggregation; Kabir
    (2010), section 6.2.
    """

    most_rows = 20_000

    split: Split = param("diameter", doc="how groups of 2k records or more are split")
    leader: Leader = param(
        "outermost",
        doc="which of two is grouped first in splits by diameter: that further from the mean, or the lower row",
    )

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        return mst_groups(points, k, self.split, self.leader)


def mst_groups(points: Points, k: int, method: Split, leader: Leader = "outermost") -> Labels:
    """Cut the edges of the tree, longest first, where both parts keep k records; split parts of 2k records or more.

    The `leader` applies to splitting by diameter.

    >>> mst_groups(np.array([[0.0], [10.0], [1.0], [11.0], [4.0]]), 2, "diameter").tolist()
    [0, 1, 0, 1, 0]
    """
    from sfumato.algorithms.microaggregation.loops.mst import cut_tree, spanning_tree

    partition = _SPLITS.get(method, partial(diameter_groups, leader=leader))
    return group_sizes.split(points, cut_tree(spanning_tree(points), k), k, partition)
