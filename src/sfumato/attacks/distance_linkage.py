"""Distance linkage: link every published record to the nearest original record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import NumberAttack, Success, linked_among
from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.settings.params import param

_ROUNDING = 1e-9
_ULPS = 1e-15
"""What a coordinate may be off by, as a share of it."""


@dataclass(frozen=True, kw_only=True)
class DistanceLinkage(NumberAttack):
    """Links every published record to the original record whose numbers are nearest in all columns together.

    The attacker has the original numbers with names, as in a register, and looks for everybody's published record.
    Distances are Euclidean, with columns divided by their standard deviation; where several originals are equally near,
    one of them is guessed. The rate is the share of records that are linked to the right person, the baseline that of
    guessing among all people. There is no control: without a release there is no record to link.

    >>> pair = PairedNumbers.of_arrays([1, 2, 9, 10], [1.5, 1.5, 9, 10])
    >>> result = DistanceLinkage().run(pair)
    >>> result.rate, result.baseline
    (0.75, 0.25)

    References: Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for microdata.
    """

    learns = "whose record it is by guessing"

    standardize: bool = param(True, doc="whether every column is divided by its standard deviation, to count alike")

    def _link(self, numbers: PairedNumbers) -> Success:
        from scipy.spatial import cKDTree

        pair = numbers.standardized() if self.standardize else numbers
        people, person = np.unique(pair.original, axis=0, return_inverse=True)
        same = np.bincount(person.reshape(-1), weights=pair.counts)
        tree = cKDTree(people)
        nearest = tree.query(pair.published)[0]
        # A little further than the nearest distance, so that rivals at an equal distance are not lost by rounding.
        reach = nearest * (1 + _ROUNDING) + _ULPS * np.abs(pair.published).max(axis=1)
        # Only records whose true original is among the nearest
        # can be linked rightly, so only their rivals are counted.
        found = np.flatnonzero(_distance(pair.original, pair.published) <= reach)
        among = tree.query_ball_point(pair.published[found], reach[found])
        rivals = np.array([same[near].sum() for near in among])
        linked = pair.counts[found] / rivals
        return Success(float(linked.sum()), 1.0, witnesses=linked_among(rivals, linked))


def _distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    apart: NDArray[np.float64] = np.sqrt(np.square(one - other).sum(axis=1))
    return apart
