"""Average group size, as a multiple of the required size."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.metrics.base import Measurable, TableMetric
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class AverageGroupSize(TableMetric):
    """The average size of the groups of equal published records, divided by k (1 unless set).

    With k = 1 it is the plain average; with the k of the model, 1 is the best possible result. A release without
    published records counts as one group of all records.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> AverageGroupSize().measure(generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}))
    3.5

    References: LeFevre, DeWitt and Ramakrishnan (2006), "Mondrian multidimensional k-anonymity" (C_avg).
    """

    k: int = param(1, doc="required group size; 1 gives the plain average", at_least=1)

    def _measure(self, release: Measurable) -> float:
        groups = release.record_groups()
        average = groups.records / len(groups) if len(groups) else release.original.records
        return average / self.k
