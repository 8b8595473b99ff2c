"""Loop of `anatomy`: draws buckets of distinct values, always the values with the most records left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]


@compiled
def draw_values(counts: Counts, l: int) -> Codes:
    """The values of bucket after bucket, l per bucket, while l values are left.

    `order` has the values in falling order of the number of records `left`, and `place` the position of each value in
    it. Values with equal numbers form a block of `order`; `last[count]` is the end of the block with that number, or
    -1. Drawing a value lowers its number by one, so it is swapped with the last of its block and becomes the first of
    the next block; nothing else moves. So each drawn value costs constant time, O(n) in total. The order of equally
    frequent values is arbitrary.
    """
    left = counts.copy()
    order = np.argsort(-left)
    place = np.empty(len(left), dtype=np.int64)
    last = np.full(int(left.max()) + 1 if len(left) else 1, -1, dtype=np.int64)
    # later positions overwrite earlier ones, so the end of each block remains
    for at in range(len(order)):
        place[order[at]] = at
        last[left[order[at]]] = at
    found = np.empty(int(left.sum()), dtype=np.int32)
    chosen = np.empty(l, dtype=np.int64)
    size = 0
    while l <= len(left) and left[order[l - 1]] > 0:
        # noted before they are drawn, because drawing changes the order
        for nth in range(l):
            chosen[nth] = order[nth]
        for nth in range(l):
            value = chosen[nth]
            count = left[value]
            # move the value to the end of its block
            at, end = place[value], last[count]
            other = order[end]
            order[at], order[end] = other, value
            place[other], place[value] = at, end
            # the block ends one position earlier now, or is empty
            alone = end == 0 or left[order[end - 1]] != count
            last[count] = -1 if alone else end - 1
            left[value] = count - 1
            # the next block may have been empty
            if last[count - 1] < 0:
                last[count - 1] = end
            found[size] = value
            size += 1
    return found[:size]
