"""All the ways in which the blocks of every bucket could belong together, each as likely as any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Worlds:
    """Per bucket: its size, and how many places match in each of some blocks that are shuffled against each other."""

    sizes: Numbers
    matching: Sequence[Numbers]

    @cached_property
    def one(self) -> Numbers:
        """The chance that a place matches in all blocks."""
        return np.asarray(np.prod([np.ones_like(self.sizes), *(often / self.sizes for often in self.matching)], axis=0))

    @cached_property
    def two(self) -> Numbers:
        """The chance that two places both do; there are no two places in a bucket of one."""
        pairs = np.maximum(self.sizes * (self.sizes - 1), 1)
        shares = [often * (often - 1) / pairs for often in self.matching]
        return np.asarray(np.prod([np.ones_like(self.sizes), *shares], axis=0))

    @cached_property
    def fewest(self) -> Numbers:
        """How many places match in all blocks at least: those that are left if misses overlap as little as they can."""
        missed = sum((self.sizes - often for often in self.matching), np.zeros_like(self.sizes))
        return np.maximum(self.sizes - missed, 0)

    @cached_property
    def most(self) -> Numbers:
        """How many places match in all blocks at most: as many as in the block where fewest do."""
        return np.asarray(np.minimum.reduce([self.sizes, *self.matching]))

    def mean(self, total: Numbers) -> float:
        """What numbers of one more block add up to over the places that match, on average; `total` over all places."""
        return float((self.one * total).sum())

    def variance(self, total: Numbers, squares: Numbers) -> float:
        """And how far that varies; `squares` is the sum of their squares."""
        expected = self.one * squares + self.two * (total**2 - squares) - (self.one * total) ** 2
        return float(np.maximum(expected, 0).sum()) if self.matching else 0.0
