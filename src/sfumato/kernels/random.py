"""Chance inside compiled loops: a small generator that gives the same numbers for the same seed everywhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined

Chance = NDArray[np.uint64]

_BITS = 64
_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_STAR = np.uint64(0x2545F4914F6CDD1D)
_UNIT = 2.0**-53


def chance_from(seed: int) -> Chance:
    """The state of a generator, spread out so that seeds next to each other give unrelated numbers (splitmix64)."""
    mask = 2**_BITS - 1
    mixed = (seed + 1) * _GOLDEN & mask
    mixed = (mixed ^ mixed >> 30) * _FIRST & mask
    mixed = (mixed ^ mixed >> 27) * _SECOND & mask
    return np.array([mixed ^ mixed >> 31 or 1], dtype=np.uint64)


@inlined
def draw(chance: Chance) -> float:
    """The next number from 0 up to, but never, 1 (xorshift64*)."""
    state = chance[0]
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    chance[0] = state
    return float((state * _STAR) >> np.uint64(11)) * _UNIT


def draws_plain(chance: Chance, count: int) -> list[float]:
    """The same numbers with Python's integers."""
    state, found = int(chance[0]), []
    for _ in range(count):
        state ^= state >> 12
        state ^= state << 25 & 2**_BITS - 1
        state ^= state >> 27
        found.append((state * int(_STAR) % 2**_BITS >> 11) * _UNIT)
    return found
