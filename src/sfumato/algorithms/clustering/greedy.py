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


def join_least(loss: GroupLoss, rows: Counts, counts: Counts) -> Labels:
    """Let runs of records, one after the other, join whichever group then loses least by it; says which."""
    chosen = np.empty(len(rows), dtype=np.int32)
    for run, (row, records) in enumerate(zip(rows.tolist(), counts.tolist(), strict=True)):
        chosen[run] = int(np.argmin(loss.increases(row)))
        loss.join(row, int(chosen[run]), records)
    return chosen
