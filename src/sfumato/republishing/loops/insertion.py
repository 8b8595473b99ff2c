"""Loop of `insertion`: the group that a new record joins by probability (Kabir 2010, section 4.5).

The share of all records that are in a group, times its share of the loss, is up to a common factor the probability that
the group caused the loss. A new record joins the group with the lowest probability.
State: the covers of all groups, which grow with every record that joins. Cost: O(groups * terms) per run of records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.covers import Covers, GroupCovers, join, least_group, loss_of

Counts = NDArray[np.int64]


@compiled
def join_least_likely(covers: Covers, grown: GroupCovers, rows: Counts, counts: Counts) -> NDArray[np.int32]:
    """Let runs of records, one after the other, join the group with the lowest probability; return the groups.

    If no group has a loss, the probability is undefined, and a run joins the group whose loss increases least.
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
def _least_likely(covers: Covers, grown: GroupCovers) -> int:
    """The group with the smallest product of records and loss; -1 if all products are 0."""
    best, least, total = -1, 0.0, 0.0
    for group in range(len(grown.size)):
        # the records times the loss of the group, which is its loss per record times its records again; in floating
        # point, because the product may exceed 64 bits
        records = float(grown.size[group])
        product = records * records * loss_of(covers, grown, group)
        total += product
        if best < 0 or product < least:
            best, least = group, product
    return best if total > 0.0 else -1
