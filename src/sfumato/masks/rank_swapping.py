"""Rank swapping: swap every value with one that ranks about as high."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np

from sfumato.masks.base import Mask, Matrix
from sfumato.runtime.secret_random import Randomness
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class RankSwapping(Mask):
    """Swaps every value of a column with one that lies at most so many ranks away, for each column on its own.

    Every column keeps its values, so that means, variances and quantiles stay exactly what they were; the wider the
    ranks, the more is lost of what columns have to do with each other. Whoever knows the width can look for people in
    that range of ranks alone: see the attack `rank_linkage`.

    >>> import pyarrow as pa
    >>> made = RankSwapping(width=0.3).mask(pa.table({"pay": [10, 20, 30, 40]}), ["pay"], seed=1)["pay"].to_pylist()
    >>> made
    [20, 10, 40, 30]

    References: Moore (1996), Controlled data-swapping techniques for masking public use microdata sets.
    """

    width: float = param(
        0.05, doc="how far swapped values may rank apart, as a share of all records", above=0, at_most=1
    )

    def _mask(self, values: Matrix, random: Randomness, beside: Matrix) -> Matrix:
        from sfumato.masks.loops.rank_swapping import partners

        for column in values.T:  # views, so that values change
            present = random.permutation(np.flatnonzero(~np.isnan(column)))  # equal values rank in random order
            order = present[np.argsort(column[present], kind="stable")]
            reach = max(floor(self.width * len(order) + 1e-9), 1)
            column[order] = column[order[partners(random.random(len(order)), reach)]]
        return values
