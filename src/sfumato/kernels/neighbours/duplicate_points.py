"""Records with exactly equal coordinates, found with a hash table in one pass.

Such records share a place. A search by distance needs to look at a place only once, whatever the number of its records,
which matters for tables of coarse values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]
Bits = NDArray[np.uint64]


def twins(points: Points) -> tuple[Numbers, Numbers]:
    """The first record at every place, ascending, and for every record the next record at its place (-1: none).

    The arrays have one entry per place and one entry per record. Along `following`, the records of a place are
    ascending. Cost: O(n * columns) expected.
    """
    size = 16
    while size < 2 * len(points):
        size *= 2
    slots, following = np.full(size, -1, dtype=np.int32), np.full(len(points), -1, dtype=np.int32)
    first, last = np.empty(len(points), dtype=np.int32), np.empty(len(points), dtype=np.int32)
    # adding zero turns minus zero into zero, so that equal numbers have equal bits
    places = _link_equal_records((points + 0.0).view(np.uint64), slots, first, last, following)
    return first[:places].copy(), following


@compiled
def _link_equal_records(bits: Bits, slots: Numbers, first: Numbers, last: Numbers, following: Numbers) -> int:
    """Fill `first` and `following` from the bits of the coordinates; returns the number of places.

    `slots` is a hash table with linear probing, at most half full, of the first record of every place (-1: free).
    `last` has, at the first record of a place, the latest record found there, so that another one is appended in
    constant time.
    """
    places = 0
    for record in range(len(bits)):
        # records come in ascending order, so the first one of a place is its lowest
        slot = _slot(bits, slots, record)
        if slots[slot] < 0:
            slots[slot] = record
            first[places] = record
            places += 1
        else:
            # another record of a known place: append it to the chain
            following[last[slots[slot]]] = record
        last[slots[slot]] = record
    return places


@compiled
def _slot(bits: Bits, slots: Numbers, record: int) -> int:
    """The slot of the hash table that has the record's place, or the free slot where it belongs."""
    slot = coordinate_hash(bits, record) & np.uint64(len(slots) - 1)
    while slots[slot] >= 0 and not _equal_coordinates(bits, slots[slot], record):
        slot = (slot + np.uint64(1)) & np.uint64(len(slots) - 1)
    return int(slot)


@compiled
def coordinate_hash(bits: Bits, record: int) -> np.uint64:
    """A hash of the coordinates of a record, used as a pseudo-random number: the same for equal coordinates."""
    state = np.uint64(0x9E3779B97F4A7C15)
    # the shift moves the well-mixed upper bits down, because only the low bits choose a slot
    for column in range(bits.shape[1]):
        state = (state ^ bits[record, column]) * np.uint64(0xD6E8FEB86659FD93)
        state ^= state >> np.uint64(32)
    return state


@compiled
def _equal_coordinates(bits: Bits, one: int, other: int) -> bool:
    """Whether two records have equal coordinates."""
    for column in range(bits.shape[1]):
        if bits[one, column] != bits[other, column]:
            return False
    return True
