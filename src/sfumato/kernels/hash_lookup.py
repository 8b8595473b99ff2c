"""Find keys among known keys: a hash table with open addressing, about ten times as fast as bisection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Keys = NDArray[np.int64]
Places = NDArray[np.int32]

EMPTY = -1


@compiled
def slot_of(key: np.int64, mask: int) -> np.int64:
    """Where to look for a key first."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(mask))


@compiled
def hashed(known: Keys) -> Places:
    """A table of places into the known keys, at most half full."""
    size = 16
    while size < 2 * len(known):
        size *= 2
    table = np.full(size, EMPTY, dtype=np.int32)
    for place in range(len(known)):
        slot = slot_of(known[place], size - 1)
        while table[slot] != EMPTY:
            slot = (slot + 1) & (size - 1)
        table[slot] = place
    return table


@compiled
def find(table: Places, known: Keys, keys: Keys) -> Places:
    """The place of every key among the known ones; -1 where it is not known."""
    found = np.empty(len(keys), dtype=np.int32)
    mask = len(table) - 1
    for index in range(len(keys)):
        slot = slot_of(keys[index], mask)
        place = table[slot]
        while place != EMPTY and known[place] != keys[index]:
            slot = (slot + 1) & mask
            place = table[slot]
        found[index] = place
    return found


def lookup(known: Keys, keys: Keys) -> Places:
    """The place of every key among the known ones; -1 where it is not known."""
    return find(hashed(known), known, keys)


def lookup_plain(known: Keys, keys: Keys) -> Places:
    """The same by bisection among sorted known keys."""
    if not len(known):
        return np.full(len(keys), EMPTY, dtype=np.int32)
    place = np.searchsorted(known, keys).clip(max=len(known) - 1)
    return np.where(known[place] == keys, place, EMPTY).astype(np.int32)
