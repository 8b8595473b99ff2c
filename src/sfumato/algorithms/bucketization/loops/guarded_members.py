"""Loops of `guarded_members`: draw buckets of compatible records, the most frequent values first.

The remaining records are counted by class and by value, and classes and values are kept sorted by these counts. When a
count changes by one, its class is swapped with the last or first of the same count, so the order is restored with a
binary search and one swap: O(log classes) per record. Choosing a member goes through values and classes in this order
and stops at the first compatible class, which costs O(classes * l) in the worst case and few steps in most.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.arrays import Flags
from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]


class SortedCounts(NamedTuple):
    """The number of remaining records by class and by value, and the classes and values sorted by it."""

    value: Codes
    """Class: its sensitive value."""
    exclusion: Codes
    """Class: the number of its excluded set."""
    left: Counts
    """Class: the number of remaining records."""
    whole: Counts
    """Value: the number of remaining records."""
    values: Codes
    """All values, in falling order of `whole`."""
    value_at: Codes
    """Value: its position in `values`."""
    classes: Codes
    """All classes by value, and inside a value in falling order of `left`."""
    class_at: Codes
    """Class: its position in `classes`."""
    first: Counts
    """Value: the position in `classes` of its first class; one entry more at the end."""


def sorted_counts(value: Codes, exclusion: Codes, counts: Counts, values: int) -> SortedCounts:
    """The state with the given number of records of each class."""
    whole = np.zeros(values, dtype=np.int64)
    np.add.at(whole, value, counts)
    by_value = np.argsort(-whole, kind="stable").astype(np.int32)
    by_class = np.lexsort((-counts, value)).astype(np.int32)
    first = np.searchsorted(value[by_class], np.arange(values + 1)).astype(np.int64)
    return SortedCounts(
        value, exclusion, counts.copy(), whole, by_value, _places(by_value), by_class, _places(by_class), first
    )  # fmt: skip


def _places(order: Codes) -> Codes:
    """The position of each item in an order (the inverse permutation)."""
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


@compiled
def move_to(order: Codes, places: Codes, item: int, place: int) -> None:
    """Move an item to a place, and the item of that place to its old one."""
    old, other = places[item], order[place]
    order[old], order[place] = other, item
    places[item], places[other] = place, old


@compiled
def decrease(order: Codes, places: Codes, counts: Counts, item: int, end: int) -> None:
    """Lower the count of an item by one and keep the order, which ends before `end`."""
    # the items with the same count are neighbours, and the last of them is in low..high
    low, high = places[item], end - 1
    while low < high:
        middle = (low + high + 1) // 2
        if counts[order[middle]] >= counts[item]:
            low = middle
        else:
            high = middle - 1
    # the last item with the same count: after the swap, lowering the count keeps the order
    move_to(order, places, item, low)
    counts[item] -= 1


@compiled
def increase(order: Codes, places: Codes, counts: Counts, item: int, begin: int) -> None:
    """Increase the count of an item and keep the order, which begins at `begin`."""
    # the items with the same count are neighbours, and the first of them is in low..high
    low, high = begin, places[item]
    while low < high:
        middle = (low + high) // 2
        if counts[order[middle]] <= counts[item]:
            high = middle
        else:
            low = middle + 1
    # the first item with the same count: after the swap, raising the count keeps the order
    move_to(order, places, item, low)
    counts[item] += 1


@compiled
def remove_record(counts_left: SortedCounts, chosen: int) -> None:
    """Remove one record of a class."""
    value = counts_left.value[chosen]
    decrease(counts_left.classes, counts_left.class_at, counts_left.left, chosen, counts_left.first[value + 1])
    decrease(counts_left.values, counts_left.value_at, counts_left.whole, value, len(counts_left.values))


@compiled
def return_record(counts_left: SortedCounts, chosen: int) -> None:
    """Return one record of a class."""
    value = counts_left.value[chosen]
    increase(counts_left.classes, counts_left.class_at, counts_left.left, chosen, counts_left.first[value])
    increase(counts_left.values, counts_left.value_at, counts_left.whole, value, 0)


@compiled
def close_values(
    counts_left: SortedCounts, rulings: Codes, bounds: Counts, chosen: int, closed: Counts, mark: int
) -> None:
    """Close a bucket for the value of a new member and for the values that are ruled out for it.

    `closed[value] == mark` means closed for the current bucket, so nothing must be reset for the next one.
    """
    closed[counts_left.value[chosen]] = mark
    exclusion = counts_left.exclusion[chosen]
    for at in range(bounds[exclusion], bounds[exclusion + 1]):
        closed[rulings[at]] = mark


@compiled
def partner(counts_left: SortedCounts, ruled_out: Flags, closed: Counts, mark: int, bucket: Codes, size: int) -> int:
    """The largest class, of the most frequent value, that is compatible with all members of a bucket; -1 if none."""
    for at in range(len(counts_left.values)):
        value = counts_left.values[at]
        # values are in falling order, so no later value has records either
        if counts_left.whole[value] == 0:
            return -1
        # a member has this value, or it is ruled out for a member: one comparison for all classes of the value
        if closed[value] == mark:
            continue
        for place in range(counts_left.first[value], counts_left.first[value + 1]):
            chosen = counts_left.classes[place]
            # classes of a value are in falling order as well
            if counts_left.left[chosen] == 0:
                break
            if is_compatible(counts_left, ruled_out, chosen, bucket, size):
                return int(chosen)
    return -1


@compiled
def is_compatible(counts_left: SortedCounts, ruled_out: Flags, chosen: int, bucket: Codes, size: int) -> bool:
    """Whether no member of a bucket has a value that is ruled out for a class."""
    exclusion = counts_left.exclusion[chosen]
    for member in range(size):
        if ruled_out[exclusion, counts_left.value[bucket[member]]]:
            return False
    return True


@compiled
def fill(
    counts_left: SortedCounts, ruled_out: Flags, rulings: Codes, bounds: Counts, seed: int, l: int, closed: Counts,
    mark: int, bucket: Codes,
) -> int:  # fmt: skip
    """Draw a bucket of l around a seed and remove its members; return the number of members."""
    bucket[0] = seed
    remove_record(counts_left, seed)
    close_values(counts_left, rulings, bounds, seed, closed, mark)
    for size in range(1, l):
        chosen = partner(counts_left, ruled_out, closed, mark, bucket, size)
        if chosen < 0:
            return size
        bucket[size] = chosen
        remove_record(counts_left, chosen)
        close_values(counts_left, rulings, bounds, chosen, closed, mark)
    return l


@compiled
def draw_buckets(
    counts_left: SortedCounts, ruled_out: Flags, rulings: Codes, bounds: Counts, hardest: Codes, l: int
) -> NDArray[np.int32]:
    """Draw buckets of l until fewer than l records are left; a row of the result holds the classes of a bucket.

    A seed has the value that all further buckets need, if there is one; otherwise it is of the first class of `hardest`
    that has records left. A seed without enough partners stays out.
    """
    remaining = int(counts_left.left.sum())
    found = np.empty((remaining // l, l), dtype=np.int32)
    closed = np.full(len(counts_left.whole), -1, dtype=np.int64)
    # `mark` is the number of the attempt, `total` of the bucket, and classes of
    # `hardest` before `at` have no records left
    mark, total, at = 0, 0, 0
    while remaining >= l:
        # if the most frequent value has 1 in l of the remaining records, every further bucket needs one of them
        common = counts_left.values[0]
        if counts_left.whole[common] * l >= remaining:
            seed = counts_left.classes[counts_left.first[common]]
        else:
            while counts_left.left[hardest[at]] == 0:
                at += 1
            seed = hardest[at]
        size = fill(counts_left, ruled_out, rulings, bounds, seed, l, closed, mark, found[total])
        mark += 1
        if size == l:
            total += 1
            remaining -= l
        else:
            # the partners return; the seed stays out
            for member in range(1, size):
                return_record(counts_left, found[total, member])
            remaining -= 1
    return found[:total]


@compiled
def assign_records(drawn: Codes, rows: Codes, starts: Counts, buckets: Codes) -> Counts:
    """Assign the next record of its class to each place of the buckets; return the next position of each class."""
    after = starts[:-1].copy()
    for bucket in range(drawn.shape[0]):
        for member in range(drawn.shape[1]):
            chosen = drawn[bucket, member]
            buckets[rows[after[chosen]]] = bucket
            after[chosen] += 1
    return after
