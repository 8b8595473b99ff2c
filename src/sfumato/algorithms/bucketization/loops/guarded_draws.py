"""Linkage of records that go together, drawn from piles: common values first, so that no value is left alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.loops.value_queues import Codes, Counts, Mask, Piles, give_back, take
from sfumato.kernels.compiled import compiled


@compiled
def admit(piles: Piles, rulings: Codes, bounds: Counts, chosen: int, closed: Counts, mark: int) -> None:
    """Close a bucket for the value of a member and for the values that are ruled out for it."""
    closed[piles.value[chosen]] = mark
    barred = piles.barred[chosen]
    for at in range(bounds[barred], bounds[barred + 1]):
        closed[rulings[at]] = mark


@compiled
def partner(piles: Piles, ruled_out: Mask, closed: Counts, mark: int, bucket: Codes, size: int) -> int:
    """The largest class, of the most frequent value, that goes with every member of a bucket; -1 if there is none."""
    for at in range(len(piles.values)):
        value = piles.values[at]
        if piles.whole[value] == 0:
            return -1
        if closed[value] == mark:
            continue
        for place in range(piles.first[value], piles.first[value + 1]):
            chosen = piles.classes[place]
            if piles.left[chosen] == 0:
                break
            if suits(piles, ruled_out, chosen, bucket, size):
                return int(chosen)
    return -1


@compiled
def suits(piles: Piles, ruled_out: Mask, chosen: int, bucket: Codes, size: int) -> bool:
    """Whether no member of a bucket has a value that is ruled out for a class."""
    barred = piles.barred[chosen]
    for member in range(size):
        if ruled_out[barred, piles.value[bucket[member]]]:
            return False
    return True


@compiled
def fill(
    piles: Piles, ruled_out: Mask, rulings: Codes, bounds: Counts, seed: int, l: int, closed: Counts, mark: int,
    bucket: Codes,
) -> int:  # fmt: skip
    """Draw a bucket of l around a seed and take its members away; returns how many were found."""
    bucket[0] = seed
    take(piles, seed)
    admit(piles, rulings, bounds, seed, closed, mark)
    for size in range(1, l):
        chosen = partner(piles, ruled_out, closed, mark, bucket, size)
        if chosen < 0:
            return size
        bucket[size] = chosen
        take(piles, chosen)
        admit(piles, rulings, bounds, chosen, closed, mark)
    return l


@compiled
def draw_buckets(
    piles: Piles, ruled_out: Mask, rulings: Codes, bounds: Counts, hardest: Codes, l: int
) -> NDArray[np.int32]:
    """Draw buckets of l until nothing is left, one row of classes each.

    A seed is of the value that every further bucket needs, where there is one, else of the first class of `hardest`
    that has records left. A seed for which no bucket is found stays out.
    """
    remaining = int(piles.left.sum())
    found = np.empty((remaining // l, l), dtype=np.int32)
    closed = np.full(len(piles.whole), -1, dtype=np.int64)
    mark, total, at = 0, 0, 0
    while remaining >= l:
        common = piles.values[0]
        if piles.whole[common] * l >= remaining:
            seed = piles.classes[piles.first[common]]
        else:
            while piles.left[hardest[at]] == 0:
                at += 1
            seed = hardest[at]
        size = fill(piles, ruled_out, rulings, bounds, seed, l, closed, mark, found[total])
        mark += 1
        if size == l:
            total += 1
            remaining -= l
        else:
            for member in range(1, size):
                give_back(piles, found[total, member])
            remaining -= 1
    return found[:total]


@compiled
def hand_out(drawn: Codes, rows: Codes, starts: Counts, buckets: Codes) -> Counts:
    """Give every place in the drawn buckets the next record of its class; returns where each class goes on."""
    after = starts[:-1].copy()
    for bucket in range(drawn.shape[0]):
        for member in range(drawn.shape[1]):
            chosen = drawn[bucket, member]
            buckets[rows[after[chosen]]] = bucket
            after[chosen] += 1
    return after
