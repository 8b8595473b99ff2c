"""Interval disclosure: take an interval around every published number, and count whose original numbers lie inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.attacks.base import NumberAttack, Success
from sfumato.disclosure.paired_numbers import PairedNumbers, distinct
from sfumato.settings.params import param

_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class IntervalDisclosure(NumberAttack):
    """Assumes that the original numbers of every record lie near the published ones, in all columns.

    No record is linked: an attacker who knows which published record belongs to whom learns about where the original
    numbers lie. An interval extends so many ranks or standard deviations to both sides of a published number. The rate
    is the share of records whose original numbers all lie inside, the baseline the same share if published records
    belonged to people at random. There is no control.

    >>> pair = PairedNumbers.of_arrays([1, 2, 3, 4], [1, 3, 2, 4])
    >>> IntervalDisclosure(width=0.1).run(pair).rate, IntervalDisclosure(width=0.25).run(pair).rate
    (0.5, 1.0)

    References: Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for microdata;
    Mateo-Sanz, Sebe and Domingo-Ferrer (2004), Outlier protection in continuous microdata masking, for deviations.
    """

    learns = "the approximate size of every number"

    width: float = param(0.05, doc="how far an interval reaches to both sides, as a share", above=0, at_most=1)
    by: Literal["rank", "deviation"] = param("rank", doc="a share of all ranks, or of the standard deviation")

    def _link(self, numbers: PairedNumbers) -> Success:
        from scipy.spatial import cKDTree

        reach = self.width + _ROUNDING
        pair = numbers.ranked() if self.by == "rank" else numbers.standardized()
        inside = (np.abs(pair.original - pair.published) <= reach).all(axis=1)
        truth, shown = (distinct(side, pair.counts) for side in (pair.original, pair.published))
        often = truth[1].astype(np.float64), shown[1].astype(np.float64)
        # The baseline: of all pairs of a person and a published record, how many lie within the interval; divided by
        # the number of records, it is the expected number of hits if records were dealt out at random.
        dealt = cKDTree(truth[0]).count_neighbors(cKDTree(shown[0]), reach, p=np.inf, weights=often)
        return Success(float(pair.counts[inside].sum()), float(dealt) / int(pair.counts.sum()))
