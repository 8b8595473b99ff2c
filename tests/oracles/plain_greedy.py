"""Groups that grow together the plain way, for any loss; the kernels find the same, faster."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.losses import GroupLoss, join_least

Counts = NDArray[np.int64]
Labels = NDArray[np.int32]


def grown_together(loss: GroupLoss, rows: Counts, k: int, order: Counts) -> Labels:
    """The group of every record: one group for every k of them, all growing at the same time.

    Record i is one of row `rows[i]`. Record `order[0]` of each k in turn seeds the group of that number; then the
    records `order[1]`, `order[2]`, ... of each k join the group of fewer than k records that loses least by it, and the
    records after the last k whichever group does.
    """
    groups = len(loss.size)
    chosen = np.empty(len(rows), dtype=np.int32)
    for turn in range(k):
        for block in range(groups):
            place = order[turn] + k * block
            row = int(rows[place])
            open_ = np.where(loss.size < k, loss.increases(row), np.inf) if turn else None
            chosen[place] = block if open_ is None else int(np.argmin(open_))
            loss.join(row, int(chosen[place]), 1)
    rest = rows[groups * k :]
    chosen[groups * k :] = join_least(loss, rest, np.ones(len(rest), dtype=np.int64))
    return chosen
