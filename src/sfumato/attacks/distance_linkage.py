"""Distance linkage: take every masked record for the original one that lies nearest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Attack, Success
from sfumato.knowledge.knowledge import Knowledge
from sfumato.metrics.paired_numbers import Masked
from sfumato.settings.params import param

_ROUNDING = 1e-9
_ULPS = 1e-15
"""What a coordinate may be off by, as a share of it."""


@dataclass(frozen=True, kw_only=True)
class DistanceLinkage(Attack[Masked]):
    """Takes every masked record for the original record whose numbers are nearest, all columns together.

    The attacker has the original numbers with names, as in a register, and looks for the masked record of everybody.
    Distances are Euclidean, with columns divided by their standard deviation; where several originals are equally near,
    one of them is guessed. The rate is the share of records that are linked to the right person, the baseline that of
    guessing among all.

    >>> pair = Masked.of_arrays([1, 2, 9, 10], [1.5, 1.5, 9, 10])
    >>> result = DistanceLinkage().run(pair)
    >>> result.rate, result.baseline
    (0.75, 0.25)

    References: Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for microdata.
    """

    meets = "numbers"
    learns = "whose record it is, as a guess"

    standardize: bool = param(True, doc="whether every column is divided by its standard deviation, to count alike")

    def _attack(self, targets: Masked, knowledge: Knowledge | None) -> Success:
        from scipy.spatial import cKDTree

        pair = targets.complete.standardized() if self.standardize else targets.complete
        people, person = np.unique(pair.original, axis=0, return_inverse=True)
        same = np.bincount(person.reshape(-1), weights=pair.counts)
        tree = cKDTree(people)
        nearest = tree.query(pair.published)[0]
        reach = nearest * (1 + _ROUNDING) + _ULPS * np.abs(pair.published).max(axis=1)
        found = np.flatnonzero(_distance(pair.original, pair.published) <= reach)
        among = tree.query_ball_point(pair.published[found], reach[found])
        rivals = np.array([same[near].sum() for near in among])
        return Success(float((pair.counts[found] / rivals).sum()), 1.0)


def _distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    apart: NDArray[np.float64] = np.sqrt(np.square(one - other).sum(axis=1))
    return apart
