"""Average group size: how many published records look alike, on average over the groups."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.metrics.base import Measurable, TableMetric


@dataclass(frozen=True, kw_only=True)
class AverageGroupSize(TableMetric):
    """The average number of records in a group of equal published records.

    A release without published records counts as one group of all records. `normalized_group_size` divides it by k.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> AverageGroupSize().measure(generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}))
    3.5
    """

    def _measure(self, release: Measurable) -> float:
        groups = release.record_groups()
        return groups.records / len(groups) if len(groups) else release.original.records
