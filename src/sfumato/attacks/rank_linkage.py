"""Rank linkage: link a published record to people whose numbers have about the same rank in every column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.attacks.base import NumberAttack, Success, linked_among
from sfumato.disclosure.paired_numbers import PairedNumbers, distinct
from sfumato.settings.params import param

_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class RankLinkage(NumberAttack):
    """Links a published record to one of the people whose numbers have about the same rank in every column.

    An attacker who knows that numbers were swapped at most so many ranks apart need not look further. All columns
    together leave few people, often one. The rate is the share of records that are linked to the right person when one
    of those left is guessed, the baseline that of guessing among all people. There is no control: without a release
    there is no record to link.

    >>> pair = PairedNumbers.of_arrays([[1, 30], [2, 10], [3, 20]], [[2, 30], [1, 20], [3, 10]])
    >>> result = RankLinkage(width=0.34).run(pair)
    >>> round(result.rate, 3), round(result.baseline, 3)
    (0.5, 0.333)

    References: Nin, Herranz and Torra (2008), Rethinking rank swapping to decrease disclosure risk.
    """

    learns = "whose record it is by guessing"

    width: float = param(0.1, doc="how far ranks may lie apart, as a share of all records", above=0, at_most=1)

    def _link(self, numbers: PairedNumbers) -> Success:
        from scipy.spatial import cKDTree

        pair, reach = numbers.ranked(), self.width + _ROUNDING
        found = np.flatnonzero((np.abs(pair.original - pair.published) <= reach).all(axis=1))
        # Every person is a point of its own, so the number of neighbours is a number of people.
        tree = cKDTree(np.repeat(pair.original, pair.counts, axis=0))
        shown, people = distinct(pair.published[found], pair.counts[found])
        rivals = tree.query_ball_point(shown, reach, p=np.inf, return_length=True)
        linked = people / rivals
        return Success(float(linked.sum()), 1.0, witnesses=linked_among(rivals, linked))
