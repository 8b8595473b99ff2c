"""Secret random numbers from the operating system's cryptographic generator, for draws that protect persons.

The state of an ordinary generator can be computed from enough of its output. An attacker who knows the sensitive values
of some persons could then repeat the draws and undo the protection of all others. Secret draws cannot be repeated, not
even by the publisher of the release. Bucketization, shuffles and masks use them.
"""

from __future__ import annotations

import os
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Size = int | tuple[int, ...] | None


class SecretRandom:
    """The methods of a numpy generator that sfumato uses, without a seed.

    >>> sorted(SecretRandom().permutation(4).tolist())
    [0, 1, 2, 3]
    """

    def random(self, size: Size = None) -> Any:
        """Uniform numbers in [0, 1) with 53 random bits each."""
        made = (self._words(size) >> np.uint64(11)) * 2.0**-53
        return float(made[0]) if size is None else made.reshape(size)

    def integers(self, low: int, high: int | None = None, size: Size = None, dtype: DTypeLike = np.int64) -> Any:
        """Uniform whole numbers in [low, high); in [0, low) if `high` is None."""
        first, end = (0, index(low)) if high is None else (index(low), index(high))
        if end <= first:
            raise ValueError("low >= high")
        span = end - first
        words = self._words(size)
        most = 2**64 // span * span - 1  # larger words would make small numbers more likely
        while (words > np.uint64(most)).any():
            beyond = words > np.uint64(most)
            words[beyond] = self._words(int(beyond.sum()))
        offsets = words if span == 2**64 else words % np.uint64(span)
        made = (offsets.astype(object) + first if span > 2**63 - 1 else offsets.astype(np.int64) + first).astype(dtype)
        return made[0] if size is None else made.reshape(size)

    def permutation(self, x: int | NDArray[Any]) -> NDArray[Any]:
        """The numbers below `x`, or the elements of an array, in random order."""
        length = x if isinstance(x, int | np.integer) else len(x)
        while True:
            keys = self._words(int(length))
            order = np.argsort(keys)
            if not (keys[order][1:] == keys[order][:-1]).any():  # equal keys would keep their order
                return order if isinstance(x, int | np.integer) else np.asarray(x)[order]

    def choice(self, a: ArrayLike) -> Any:
        """One element of an array, all with equal probability."""
        values = np.asarray(a)
        return values[self.integers(len(values))]

    def standard_normal(self, size: Size = None) -> Any:
        """Standard normal numbers, by the Box-Muller method."""
        radius = np.sqrt(-2.0 * np.log1p(-np.asarray(self.random(1 if size is None else size))))
        made = radius * np.cos(2.0 * np.pi * np.asarray(self.random(1 if size is None else size)))
        return float(made[0]) if size is None else made

    def _words(self, size: Size) -> NDArray[np.uint64]:
        number = 1 if size is None else int(np.prod(size))
        return np.frombuffer(bytearray(os.urandom(8 * number)), dtype=np.uint64)


Randomness = np.random.Generator | SecretRandom
"""A seeded generator, which protects nothing, or a secret one."""


def randomness(seed: int | None) -> Randomness:
    """A secret generator, or a seeded one for tests and examples, whose draws can be repeated."""
    return SecretRandom() if seed is None else np.random.default_rng(seed)
