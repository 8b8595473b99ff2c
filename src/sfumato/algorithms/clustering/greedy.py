"""The greedy core of clustering, for any loss: records join the group that loses least by it.

The first of equals is taken: the lowest row, the lowest group. For information loss the kernels do the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.group_loss import GroupLoss

Counts = NDArray[np.int64]
Labels = NDArray[np.int32]


def grown_to_size(loss: GroupLoss, counts: Counts, k: int, first: int) -> tuple[Counts, Labels, Counts]:
    """Runs of records: groups of k, each from the row furthest from the last seed by the rows that cost least.

    Records of a row join together as far as there is room. Those that are left over, fewer than k, join the group that
    loses least by them. The seed before the first one is row `first`.
    """
    left, seed, runs = counts.copy(), first, []
    groups = int(counts.sum()) // k
    for group in range(groups):
        seed = row = int(np.argmax(np.where(left > 0, loss.pairs(seed), -np.inf)))
        while True:
            taken = min(int(left[row]), k - int(loss.size[group]))
            loss.join(row, group, taken)
            left[row] -= taken
            runs.append((row, group, taken))
            if loss.size[group] == k:
                break
            row = int(np.argmin(np.where(left > 0, loss.increases_by(group), np.inf)))
    rest = np.flatnonzero(left)
    runs += zip(rest.tolist(), join_least(loss, rest, left[rest]).tolist(), left[rest].tolist(), strict=True)
    row_, group_, count = (np.array(part, dtype=np.int64) for part in zip(*runs, strict=True))
    return row_, group_.astype(np.int32), count


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


def join_least(loss: GroupLoss, rows: Counts, counts: Counts) -> Labels:
    """Let runs of records, one after the other, join whichever group then loses least by it; says which."""
    chosen = np.empty(len(rows), dtype=np.int32)
    for run, (row, records) in enumerate(zip(rows.tolist(), counts.tolist(), strict=True)):
        chosen[run] = int(np.argmin(loss.increases(row)))
        loss.join(row, int(chosen[run]), records)
    return chosen
