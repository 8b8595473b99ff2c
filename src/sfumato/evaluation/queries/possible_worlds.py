"""Possible worlds: all ways to combine the blocks of every bucket into records, each equally likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PossibleWorlds:
    """The worlds of every bucket: its size, and how many positions match in each of some independent random blocks."""

    sizes: Numbers
    matching: Sequence[Numbers]

    @cached_property
    def one(self) -> Numbers:
        """The probability that a position matches in all blocks."""
        return np.asarray(np.prod([np.ones_like(self.sizes), *(often / self.sizes for often in self.matching)], axis=0))

    @cached_property
    def fewest(self) -> Numbers:
        """The least number of positions that match in all blocks: those left if mismatches never overlap."""
        missed = sum((self.sizes - often for often in self.matching), np.zeros_like(self.sizes))
        return np.maximum(self.sizes - missed, 0)

    @cached_property
    def most(self) -> Numbers:
        """The largest number of positions that match in all blocks: the smallest number of matches of any block."""
        return np.asarray(np.minimum.reduce([self.sizes, *self.matching]))

    def mean(self, total: Numbers) -> float:
        """The expected sum of the numbers of one more block over matching positions; `total` is over all positions."""
        return float((self.one * total).sum())
