"""Interval disclosure: read every masked number as an interval around it, and see whose true numbers lie inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.attacks.base import Attack, Success
from sfumato.knowledge.knowledge import Knowledge
from sfumato.metrics.paired_numbers import Masked, distinct
from sfumato.settings.params import param

_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class IntervalDisclosure(Attack[Masked]):
    """Takes it that everybody's true numbers lie near the masked ones, in all columns.

    Nobody need be linked: whoever knows which masked record is whose learns about where the true numbers lie. An
    interval reaches so many ranks or standard deviations to both sides of a masked number. The rate is the share of
    records whose true numbers all lie inside, the baseline what that share would be if masked records had been dealt
    out at random.

    >>> pair = Masked.of_arrays([1, 2, 3, 4], [1, 3, 2, 4])
    >>> IntervalDisclosure(width=0.1).run(pair).rate, IntervalDisclosure(width=0.25).run(pair).rate
    (0.5, 1.0)

    References: Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for microdata;
    Mateo-Sanz, Sebe and Domingo-Ferrer (2004), Outlier protection in continuous microdata masking, for deviations.
    """

    meets = "numbers"
    learns = "about how large every number is"

    width: float = param(0.05, doc="how far an interval reaches to both sides, as a share", above=0, at_most=1)
    by: Literal["rank", "deviation"] = param("rank", doc="a share of all ranks, or of the standard deviation")

    def _attack(self, targets: Masked, knowledge: Knowledge | None) -> Success:
        from scipy.spatial import cKDTree

        complete, reach = targets.complete, self.width + _ROUNDING
        pair = complete.ranked() if self.by == "rank" else complete.standardized()
        inside = (np.abs(pair.original - pair.published) <= reach).all(axis=1)
        truth, shown = (distinct(side, pair.counts) for side in (pair.original, pair.published))
        often = truth[1].astype(np.float64), shown[1].astype(np.float64)
        dealt = cKDTree(truth[0]).count_neighbors(cKDTree(shown[0]), reach, p=np.inf, weights=often)
        return Success(float(pair.counts[inside].sum()), float(dealt) / targets.people)
