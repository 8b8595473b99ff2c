"""Sets of small numbers as bits, 64 numbers a word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Bits = NDArray[np.uint64]

WORD = 64
_ONE = np.uint64(1)
_PAIRS, _FOURS, _BYTES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM = np.uint64(0x0101010101010101)


@compiled
def words(many: int) -> int:
    """How many words hold sets of the numbers below `many`."""
    return (many + WORD - 1) // WORD


@compiled
def has(row: Bits, number: int) -> bool:
    """Whether a set has a number."""
    return bool((row[number // WORD] >> np.uint64(number % WORD)) & _ONE)


@compiled
def add(row: Bits, number: int) -> None:
    """Put a number into a set."""
    row[number // WORD] |= _ONE << np.uint64(number % WORD)


@compiled
def size(row: Bits, many: int) -> int:
    """How many numbers a set has in its first words: neighbours are added up in twos, fours and bytes."""
    total = 0
    for word in range(many):
        bits = row[word]
        bits = bits - ((bits >> _ONE) & _PAIRS)
        bits = (bits & _FOURS) + ((bits >> np.uint64(2)) & _FOURS)
        bits = (bits + (bits >> np.uint64(4))) & _BYTES
        total += int((bits * _SUM) >> np.uint64(56))
    return total


@compiled
def clear(sets: Bits, many: int) -> None:
    """Empty the first sets."""
    for place in range(many):
        for word in range(sets.shape[1]):
            sets[place, word] = 0
