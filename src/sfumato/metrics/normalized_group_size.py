"""Normalized average group size: the average group size as a multiple of the required one."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.metrics.average_group_size import AverageGroupSize
from sfumato.metrics.base import Measurable, TableMetric
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class NormalizedGroupSize(TableMetric):
    """The average number of records in a group divided by the required number k: 1 is the best for k-anonymity.

    The literature calls it the normalized average equivalence class size, C_avg.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> candidate = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1})
    >>> round(NormalizedGroupSize(k=3).measure(candidate), 4)
    1.1667

    References: LeFevre, DeWitt and Ramakrishnan (2006), "Mondrian multidimensional k-anonymity" (C_avg).
    """

    k: int = param(doc="required group size, as in the model k_anonymity", at_least=1)

    def _measure(self, release: Measurable) -> float:
        return AverageGroupSize().measure(release) / self.k
