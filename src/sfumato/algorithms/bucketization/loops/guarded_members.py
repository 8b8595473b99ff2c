"""Loops of `guarded_members`: draw buckets of compatible records, the most frequent values first.

The remaining records are counted by class and value, and classes and values are kept sorted by these counts. Removing
or returning a record swaps its class with the last or first of the same count, so the order is restored with a binary
search and one swap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Piles(NamedTuple):
    """Numbers of remaining records: by class in `left`, by value in `whole`.

    `values` are all values in falling order of their count; `classes[first[v] : first[v + 1]]` are the classes of value
    v in the same order. `value_at` and `class_at` are the inverse permutations.
    """

    value: Codes
    barred: Codes
    left: Counts
    whole: Counts
    values: Codes
    value_at: Codes
    classes: Codes
    class_at: Codes
    first: Counts


def piles_of(value: Codes, barred: Codes, counts: Counts, values: int) -> Piles:
    """Piles with the given number of records of each class."""
    whole = np.zeros(values, dtype=np.int64)
    np.add.at(whole, value, counts)
    by_value = np.argsort(-whole, kind="stable").astype(np.int32)
    by_class = np.lexsort((-counts, value)).astype(np.int32)
    first = np.searchsorted(value[by_class], np.arange(values + 1)).astype(np.int64)
    return Piles(
        value, barred, counts.copy(), whole, by_value, _places(by_value), by_class, _places(by_class), first
    )  # fmt: skip


def _places(order: Codes) -> Codes:
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


@compiled
def swap_places(order: Codes, places: Codes, item: int, place: int) -> None:
    """Move an item to a place, and the item of that place to its old one."""
    old, other = places[item], order[place]
    order[old], order[place] = other, item
    places[item], places[other] = place, old


@compiled
def fall(order: Codes, places: Codes, counts: Counts, item: int, end: int) -> None:
    """Decrease the count of an item and keep the order, which ends before `end`."""
    low, high = places[item], end - 1
    while low < high:
        middle = (low + high + 1) // 2
        if counts[order[middle]] >= counts[item]:
            low = middle
        else:
            high = middle - 1
    swap_places(order, places, item, low)
    counts[item] -= 1


@compiled
def rise(order: Codes, places: Codes, counts: Counts, item: int, begin: int) -> None:
    """Increase the count of an item and keep the order, which begins at `begin`."""
    low, high = begin, places[item]
    while low < high:
        middle = (low + high) // 2
        if counts[order[middle]] <= counts[item]:
            high = middle
        else:
            low = middle + 1
    swap_places(order, places, item, low)
    counts[item] += 1


@compiled
def take(piles: Piles, chosen: int) -> None:
    """Remove one record of a class."""
    value = piles.value[chosen]
    fall(piles.classes, piles.class_at, piles.left, chosen, piles.first[value + 1])
    fall(piles.values, piles.value_at, piles.whole, value, len(piles.values))


@compiled
def give_back(piles: Piles, chosen: int) -> None:
    """Return one record of a class."""
    value = piles.value[chosen]
    rise(piles.classes, piles.class_at, piles.left, chosen, piles.first[value])
    rise(piles.values, piles.value_at, piles.whole, value, 0)


@compiled
def admit(piles: Piles, rulings: Codes, bounds: Counts, chosen: int, closed: Counts, mark: int) -> None:
    """Close a bucket for the value of a member and for the values that are ruled out for it."""
    closed[piles.value[chosen]] = mark
    barred = piles.barred[chosen]
    for at in range(bounds[barred], bounds[barred + 1]):
        closed[rulings[at]] = mark


@compiled
def partner(piles: Piles, ruled_out: Mask, closed: Counts, mark: int, bucket: Codes, size: int) -> int:
    """The largest class, of the most frequent value, that is compatible with all members of a bucket; -1 if none."""
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
    """Draw a bucket of l around a seed and remove its members; return the number of members."""
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
    """Draw buckets of l until no records are left; a row of the result holds the classes of a bucket.

    A seed has the value that all further buckets need, if there is one; otherwise it is of the first class of `hardest`
    that has records left. A seed without enough partners stays out.
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
    """Assign the next record of its class to each place of the buckets; return the next position of each class."""
    after = starts[:-1].copy()
    for bucket in range(drawn.shape[0]):
        for member in range(drawn.shape[1]):
            chosen = drawn[bucket, member]
            buckets[rows[after[chosen]]] = bucket
            after[chosen] += 1
    return after
