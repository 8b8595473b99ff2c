"""Records at exactly the same place: whoever searches by distance needs to look at a place only once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]
Bits = NDArray[np.uint64]


def twins(points: Points) -> tuple[Numbers, Numbers]:
    """The first record at every place, ascending, and for every record the next one at its place (-1: none)."""
    size = 16
    while size < 2 * len(points):
        size *= 2
    slots, following = np.full(size, -1, dtype=np.int32), np.full(len(points), -1, dtype=np.int32)
    first, last = np.empty(len(points), dtype=np.int32), np.empty(len(points), dtype=np.int32)
    # adding zero makes minus zero plain, so that equal numbers have equal bits
    places = _link((points + 0.0).view(np.uint64), slots, first, last, following)
    return first[:places].copy(), following


@compiled
def _link(bits: Bits, slots: Numbers, first: Numbers, last: Numbers, following: Numbers) -> int:
    """Chain the records of every place; returns the number of places.

    `slots` is a hash table of the first record of every place, at most half full. `last` has for each of these records
    the last one at its place so far.
    """
    places = 0
    for record in range(len(bits)):
        slot = _slot(bits, slots, record)
        if slots[slot] < 0:
            slots[slot] = record
            first[places] = record
            places += 1
        else:
            following[last[slots[slot]]] = record
        last[slots[slot]] = record
    return places


@compiled
def _slot(bits: Bits, slots: Numbers, record: int) -> int:
    """Where the record's place is noted in the hash table, or would be."""
    slot = mixed(bits, record) & np.uint64(len(slots) - 1)
    while slots[slot] >= 0 and not _same(bits, slots[slot], record):
        slot = (slot + np.uint64(1)) & np.uint64(len(slots) - 1)
    return int(slot)


@compiled
def mixed(bits: Bits, record: int) -> np.uint64:
    """A number that looks drawn at random, always the same for the same coordinates."""
    state = np.uint64(0x9E3779B97F4A7C15)
    for column in range(bits.shape[1]):
        state = (state ^ bits[record, column]) * np.uint64(0xD6E8FEB86659FD93)
        state ^= state >> np.uint64(32)
    return state


@compiled
def _same(bits: Bits, one: int, other: int) -> bool:
    for column in range(bits.shape[1]):
        if bits[one, column] != bits[other, column]:
            return False
    return True
