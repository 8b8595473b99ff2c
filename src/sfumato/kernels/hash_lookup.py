"""The positions of 64-bit keys among known keys, found in a hash table with open addressing and linear probing.

`data.row_keys` finds the number of every record's combination of codes with it. A table is an array of positions into
the array of known keys, so that the keys are stored once. It is at most half full, so a search looks at few slots, and
both loops take expected time proportional to the number of their keys.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Keys = NDArray[np.int64]
Places = NDArray[np.int32]

EMPTY = -1
"""The content of a free slot, and the answer for a key that is not known."""


@compiled
def slot_of(key: np.int64, mask: int) -> np.int64:
    """The slot at which the search for a key starts.

    The multiplier is 2^64 divided by the golden ratio (Fibonacci hashing). `mask` keeps the low bits, and those of a
    product depend on the low bits of the key alone, so higher bits are mixed into them first.
    """
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(mask))


@compiled
def hash_table(known: Keys) -> Places:
    """The hash table of the known keys, which must be distinct: 16 slots or more, a power of two, at most half full."""
    size = 16
    while size < 2 * len(known):
        size *= 2
    table = np.full(size, EMPTY, dtype=np.int32)
    for place in range(len(known)):
        # linear probing: the first free slot from the key's own slot on, around the end of the table
        slot = slot_of(known[place], size - 1)
        while table[slot] != EMPTY:
            slot = (slot + 1) & (size - 1)
        table[slot] = place
    return table


@compiled
def find(table: Places, known: Keys, keys: Keys) -> Places:
    """The position of every key among the known keys of a table; -1 for a key that is not known."""
    found = np.empty(len(keys), dtype=np.int32)
    mask = len(table) - 1
    for index in range(len(keys)):
        slot = slot_of(keys[index], mask)
        place = table[slot]
        # no key is ever removed, so a free slot ends the search
        while place != EMPTY and known[place] != keys[index]:
            slot = (slot + 1) & mask
            place = table[slot]
        found[index] = place
    return found


def lookup(known: Keys, keys: Keys) -> Places:
    """The position of every key among the known keys, with a table built for this one call; -1 if it is not known."""
    return find(hash_table(known), known, keys)
