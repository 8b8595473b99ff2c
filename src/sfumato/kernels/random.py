"""Pseudo-random numbers inside compiled loops, the same for the same seed on every platform.

A generator is an array of one `uint64`, its state, so that compiled code can update it in place. It is made for search
(annealing, genetic algorithms) and is not cryptographically secure. Cost: a few operations per number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined

Chance = NDArray[np.uint64]

_BITS = 64
# increment and multipliers of splitmix64, the multiplier of xorshift64*, and the distance between 53-bit fractions
_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_STAR = np.uint64(0x2545F4914F6CDD1D)
_UNIT = 2.0**-53


def chance_from(seed: int) -> Chance:
    """The state of a generator with this seed.

    The seed goes through splitmix64, so that neighbouring seeds give unrelated numbers. The state is never 0, because
    xorshift cannot leave 0.
    """
    mask = 2**_BITS - 1
    mixed = (seed + 1) * _GOLDEN & mask
    mixed = (mixed ^ mixed >> 30) * _FIRST & mask
    mixed = (mixed ^ mixed >> 27) * _SECOND & mask
    return np.array([mixed ^ mixed >> 31 or 1], dtype=np.uint64)


@inlined
def draw(chance: Chance) -> float:
    """The next number x, 0 <= x < 1: the upper 53 bits of xorshift64* (Vigna, 2016)."""
    state = chance[0]
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    chance[0] = state
    return float((state * _STAR) >> np.uint64(11)) * _UNIT
