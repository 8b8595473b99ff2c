"""Piles of records waiting for a bucket, by class and value, the largest first whatever is taken away or given back.

Taking one record away moves its class behind the others of the same size, which is one exchange of places.
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
    """What is left: by class in `left`, by value in `whole`.

    `values` are all values in falling order of what is left, `classes[first[v] : first[v + 1]]` the classes of value v
    in such an order; `value_at` and `class_at` say where each stands.
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
    """Piles of so many records of each class."""
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
    """Put an item where it belongs now, and what stood there into its old place."""
    old, other = places[item], order[place]
    order[old], order[place] = other, item
    places[item], places[other] = place, old


@compiled
def fall(order: Codes, places: Codes, counts: Counts, item: int, end: int) -> None:
    """Count one less of an item, and keep the order; it ends before `end`."""
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
    """Count one more of an item, and keep the order, which begins at `begin`."""
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
    """Take one record of a class away."""
    value = piles.value[chosen]
    fall(piles.classes, piles.class_at, piles.left, chosen, piles.first[value + 1])
    fall(piles.values, piles.value_at, piles.whole, value, len(piles.values))


@compiled
def give_back(piles: Piles, chosen: int) -> None:
    """Put one record of a class back."""
    value = piles.value[chosen]
    rise(piles.classes, piles.class_at, piles.left, chosen, piles.first[value])
    rise(piles.values, piles.value_at, piles.whole, value, 0)
