"""Rank swapping: swap every value with one of a similar rank."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np

from sfumato.masks.base import Mask, Matrix
from sfumato.runtime.secret_random import Randomness
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class RankSwapping(Mask):
    """Swaps every value of a column with one of a nearby rank, independently for each column.

    Every column keeps its set of values, so means, variances and quantiles are preserved exactly; a larger width loses
    more of the correlations between columns. An attacker who knows the width needs to search only that range of ranks:
    see the attack `rank_linkage`.

    >>> import pyarrow as pa
    >>> made = RankSwapping(width=0.3).mask(pa.table({"pay": [10, 20, 30, 40]}), ["pay"], seed=1)["pay"].to_pylist()
    >>> made
    [20, 10, 40, 30]

    References: Moore (1996), Controlled data-swapping techniques for masking public use microdata sets.
    """

    width: float = param(
        0.05, doc="largest difference of ranks between swapped values, as a share of all records", above=0, at_most=1
    )

    def _mask(self, values: Matrix, random: Randomness, others: Matrix) -> Matrix:
        from sfumato.masks.loops.rank_swapping import partners

        for column in values.T:  # views: writing to a column changes `values`
            present = random.permutation(np.flatnonzero(~np.isnan(column)))  # equal values are ranked in random order
            order = present[np.argsort(column[present], kind="stable")]
            reach = max(floor(self.width * len(order) + 1e-9), 1)
            column[order] = column[order[partners(random.random(len(order)), reach)]]
        return values
