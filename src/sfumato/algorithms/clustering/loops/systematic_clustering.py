"""Loop of `systematic_clustering`: all groups grow together, and each record joins the cheapest one.

A record is compared with all groups, so the loop takes O(n * (n / k) * terms).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.covers import Covers, GroupCovers, join, join_least, least_group

Labels = NDArray[np.int32]
Counts = NDArray[np.int64]


@compiled
def grow_together(covers: Covers, grown: GroupCovers, rows: Counts, k: int, order: Counts) -> Labels:
    """The group of each record: one group for every k records, seeded at every k-th record.

    Record i belongs to row `rows[i]`. The records at place `order[0]` of each run of k seed the groups. Then the
    records at place `order[1]`, `order[2]`, ... of each run join the group with fewer than k records whose loss
    increases least. The records after the last run join the group whose loss increases least.
    """
    groups = len(grown.size)
    chosen, losses = np.empty(len(rows), dtype=np.int32), np.empty(groups, dtype=np.int32)
    # the seeds come first, so that every later record is compared with all groups
    for group in range(groups):
        place = order[0] + k * group
        chosen[place] = group
        join(covers, grown, rows[place], group, 1)
    # a group with k records is closed; one is always open, because fewer than groups * k records are placed
    for turn in range(1, k):
        for block in range(groups):
            place = order[turn] + k * block
            chosen[place] = least_group(covers, grown, rows[place], k, losses)
            join(covers, grown, rows[place], chosen[place], 1)
    last = groups * k
    chosen[last:] = join_least(covers, grown, rows[last:], np.ones(len(rows) - last, dtype=np.int64))
    return chosen
