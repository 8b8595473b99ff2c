"""Sets of small non-negative integers as bits of `uint64` words.

A set is a row of words; the number x is bit `x % 64` of word `x // 64`. The compiled loops of `knowledge` use such
sets, so that a membership test costs one shift.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Bits = NDArray[np.uint64]

WORD = 64
"""The number of bits in a word."""

_ONE = np.uint64(1)
# Masks of `size`: the lower bit of every pair, the lower two bits of every four, the lower four bits of every byte.
# The product with `_SUM` adds all eight bytes of a word into its top byte.
_PAIRS, _FOURS, _BYTES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM = np.uint64(0x0101010101010101)


@compiled
def words(numbers: int) -> int:
    """The number of words in a set of the integers below `numbers`."""
    return (numbers + WORD - 1) // WORD


@compiled
def has(row: Bits, number: int) -> bool:
    """Whether a set contains a number."""
    return bool((row[number // WORD] >> np.uint64(number % WORD)) & _ONE)


@compiled
def add(row: Bits, number: int) -> None:
    """Add a number to a set."""
    row[number // WORD] |= _ONE << np.uint64(number % WORD)


@compiled
def size(row: Bits, count: int) -> int:
    """The number of elements in the first `count` words of a set.

    Counts the bits of each word in parallel (Warren, Hacker's Delight, chapter 5): 12 operations per word, whatever the
    number of elements.
    """
    total = 0
    for word in range(count):
        bits = row[word]
        # every pair of bits becomes the number of its bits, then every four bits, then every byte
        bits = bits - ((bits >> _ONE) & _PAIRS)
        bits = (bits & _FOURS) + ((bits >> np.uint64(2)) & _FOURS)
        bits = (bits + (bits >> np.uint64(4))) & _BYTES
        total += int((bits * _SUM) >> np.uint64(56))
    return total


@compiled
def clear(sets: Bits, count: int) -> None:
    """Empty the first `count` sets of an array of sets (one per row)."""
    for place in range(count):
        for word in range(sets.shape[1]):
            sets[place, word] = 0
