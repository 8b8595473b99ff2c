"""Random numbers that hide people: from the operating system's cryptographic generator.

The state of an ordinary generator can be computed from enough of its output. Somebody who knows the sensitive values of
some people could then repeat the draws and undo what they hide for all others. These draws cannot be repeated, not even
by whoever made the release.
"""

from __future__ import annotations

import os
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Size = int | tuple[int, ...] | None


class SecretRandom:
    """The methods of a numpy generator that bucketization, shuffles and masks use, without a seed.

    >>> sorted(SecretRandom().permutation(4).tolist())
    [0, 1, 2, 3]
    """

    def random(self, size: Size = None) -> Any:
        """Numbers from 0 up to, but never, 1, with 53 random bits each."""
        made = (self._words(size) >> np.uint64(11)) * 2.0**-53
        return float(made[0]) if size is None else made.reshape(size)

    def integers(self, low: int, high: int | None = None, size: Size = None, dtype: DTypeLike = np.int64) -> Any:
        """Whole numbers from `low` up to, but never, `high`; from 0 up to `low` where there is no `high`."""
        first, end = (0, index(low)) if high is None else (index(low), index(high))
        if end <= first:
            raise ValueError("low >= high")
        span = end - first
        words = self._words(size)
        most = 2**64 // span * span - 1  # larger words would make small numbers likelier
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
        """One element of an array, each as likely as any other."""
        values = np.asarray(a)
        return values[self.integers(len(values))]

    def standard_normal(self, size: Size = None) -> Any:
        """Normally distributed numbers with mean 0 and variance 1, by the method of Box and Muller."""
        radius = np.sqrt(-2.0 * np.log1p(-np.asarray(self.random(1 if size is None else size))))
        made = radius * np.cos(2.0 * np.pi * np.asarray(self.random(1 if size is None else size)))
        return float(made[0]) if size is None else made

    def _words(self, size: Size) -> NDArray[np.uint64]:
        number = 1 if size is None else int(np.prod(size))
        return np.frombuffer(bytearray(os.urandom(8 * number)), dtype=np.uint64)


Randomness = np.random.Generator | SecretRandom
"""Seeded numbers, which hide nothing, or secret ones."""


def randomness(seed: int | None) -> Randomness:
    """Secret numbers, or those of a seed for tests and examples: whoever knows a seed can repeat the draws."""
    return SecretRandom() if seed is None else np.random.default_rng(seed)
