"""Choose swap partners for rank swapping: every rank is swapped with a random free rank within reach above it.

State: `sums`, a Fenwick tree that counts the ranks without a partner. `free_below` counts them, `nth_free` finds one
and `take` removes one, each in a logarithm of steps, so all partners cost n log n however large the reach is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Places = NDArray[np.int64]


@compiled
def partners(draws: NDArray[np.float64], reach: int) -> Places:
    """For every rank the rank it swaps with, chosen uniformly among the free ranks of the next `reach`.

    Ranks are processed in ascending order. `draws[i]` in [0, 1) decides for rank i. A rank without a free rank in reach
    keeps its own.
    """
    ranks = len(draws)
    # `sums[i]` counts the free ranks among the last `i & -i` ranks before rank i; at first all are free
    sums = np.zeros(ranks + 1, dtype=np.int64)
    for place in range(1, ranks + 1):
        sums[place] = place & -place
    found = np.arange(ranks)
    for rank in range(ranks):
        # it has a partner already, a lower rank
        if found[rank] != rank:
            continue
        # taken even if it finds no partner, because no later rank looks below itself
        take(sums, rank)
        before, upto = free_below(sums, rank + 1), free_below(sums, min(rank + reach + 1, ranks))
        if upto > before:
            other = nth_free(sums, before + int(draws[rank] * (upto - before)))
            take(sums, other)
            found[rank], found[other] = other, rank
    return found


@compiled
def take(sums: Places, rank: int) -> None:
    """Mark a rank as no longer free."""
    place = rank + 1
    while place < len(sums):
        sums[place] -= 1
        place += place & -place


@compiled
def free_below(sums: Places, rank: int) -> int:
    """How many ranks below this one are free."""
    total = 0
    place = rank
    while place > 0:
        total += sums[place]
        place -= place & -place
    return total


@compiled
def nth_free(sums: Places, nth: int) -> int:
    """The free rank that has `nth` free ranks below it."""
    step = 1
    while 2 * step < len(sums):
        step *= 2
    place = 0
    while step > 0:
        # `nth` free ranks are still to be passed from rank `place` on; a step that passes at most as many is made
        if place + step < len(sums) and sums[place + step] <= nth:
            place += step
            nth -= sums[place]
        step //= 2
    return place
