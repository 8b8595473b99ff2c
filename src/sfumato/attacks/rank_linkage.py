"""Rank linkage: take a masked record for anybody whose numbers rank about as high in every column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.attacks.base import Attack, Success
from sfumato.knowledge.knowledge import Knowledge
from sfumato.metrics.paired_numbers import Masked, distinct
from sfumato.settings.params import param

_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class RankLinkage(Attack[Masked]):
    """Takes a masked record for one of those people whose numbers rank about as high as its own in every column.

    Whoever knows that numbers were swapped with others at most so many ranks away need not look further. All columns
    together leave few people, often one. The rate is the share of records that are linked to the right person when one
    of those left is guessed, the baseline that of guessing among all.

    >>> pair = Masked.of_arrays([[1, 30], [2, 10], [3, 20]], [[2, 30], [1, 20], [3, 10]])
    >>> result = RankLinkage(width=0.34).run(pair)
    >>> round(result.rate, 3), round(result.baseline, 3)
    (0.5, 0.333)

    References: Nin, Herranz and Torra (2008), Rethinking rank swapping to decrease disclosure risk.
    """

    meets = "numbers"
    learns = "whose record it is, as a guess"

    width: float = param(0.1, doc="how far ranks may lie apart, as a share of all records", above=0, at_most=1)

    def _attack(self, targets: Masked, knowledge: Knowledge | None) -> Success:
        from scipy.spatial import cKDTree

        pair, reach = targets.complete.ranked(), self.width + _ROUNDING
        found = np.flatnonzero((np.abs(pair.original - pair.published) <= reach).all(axis=1))
        tree = cKDTree(np.repeat(pair.original, pair.counts, axis=0))
        linked, people = distinct(pair.published[found], pair.counts[found])
        rivals = tree.query_ball_point(linked, reach, p=np.inf, return_length=True)
        return Success(float((people / rivals).sum()), 1.0)
