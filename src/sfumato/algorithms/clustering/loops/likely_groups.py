"""Which group a newcomer joins, by how much each group has to do with the loss that there is (Kabir 2010, section 4.5).

With N people and loss f in a group, the share of people in it times its share of the loss is, but for a factor that is
the same for all groups, the probability that a loss is that group's. The newcomer joins where that is least.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.loops.covers import Covers, Grown, join, least_group, loss_of
from sfumato.kernels.compiled import compiled

Counts = NDArray[np.int64]


@compiled
def join_least_likely(covers: Covers, grown: Grown, rows: Counts, counts: Counts) -> NDArray[np.int32]:
    """Let runs of records, one after the other, join the group that accounts least for the loss; says which.

    Where no group loses anything, that says nothing, and a run joins the group that then loses least.
    """
    chosen = np.empty(len(rows), dtype=np.int32)
    losses = np.empty(len(grown.size), dtype=np.int32)
    for run in range(len(rows)):
        group = _least_likely(covers, grown)
        if group < 0:
            group = least_group(covers, grown, rows[run], np.iinfo(np.int64).max, losses)
        chosen[run] = group
        join(covers, grown, rows[run], group, counts[run])
    return chosen


@compiled
def _least_likely(covers: Covers, grown: Grown) -> int:
    """The group with the least product of people and loss; -1 where all products are 0."""
    best, least, total = -1, 0.0, 0.0
    for group in range(len(grown.size)):
        people = float(grown.size[group])
        product = people * people * loss_of(covers, grown, group)
        total += product
        if best < 0 or product < least:
            best, least = group, product
    return best if total > 0.0 else -1
