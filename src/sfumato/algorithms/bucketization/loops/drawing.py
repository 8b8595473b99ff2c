"""Draw buckets of different values, always from the values that most records are left of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]


@compiled
def drawn(counts: Counts, l: int) -> Codes:
    """The values of bucket after bucket, l each, while l values are left; of equally frequent ones any.

    Values stand in order of how many are left. Those with equally many stand together, so that taking one of them
    exchanges it with the last of its block and nothing else moves.
    """
    left = counts.copy()
    order = np.argsort(-left)
    place = np.empty(len(left), dtype=np.int64)
    last = np.full(int(left.max()) + 1 if len(left) else 1, -1, dtype=np.int64)
    for at in range(len(order)):
        place[order[at]] = at
        last[left[order[at]]] = at
    found = np.empty(int(left.sum()), dtype=np.int32)
    chosen = np.empty(l, dtype=np.int64)
    size = 0
    while l <= len(left) and left[order[l - 1]] > 0:
        for nth in range(l):
            chosen[nth] = order[nth]
        for nth in range(l):
            value = chosen[nth]
            count = left[value]
            at, end = place[value], last[count]
            other = order[end]
            order[at], order[end] = other, value
            place[other], place[value] = at, end
            alone = end == 0 or left[order[end - 1]] != count
            last[count] = -1 if alone else end - 1
            left[value] = count - 1
            if last[count - 1] < 0:
                last[count - 1] = end
            found[size] = value
            size += 1
    return found[:size]


def drawn_plain(counts: Counts, l: int) -> Codes:
    """The same by sorting before every bucket."""
    left, found = counts.copy(), []
    while l <= len(left) and (left > 0).sum() >= l:
        chosen = np.argsort(-left, kind="stable")[:l]
        found.extend(chosen.tolist())
        left[chosen] -= 1
    return np.array(found, dtype=np.int32)
