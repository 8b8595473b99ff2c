"""Normalized certainty penalty (NCP): the mean generalization of the published values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.data.table import Table
from sfumato.metrics.base import CellMetric, Cells, Measurable, Prices, Totals, weigh
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Ncp(CellMetric):
    """The mean generalization of the published values: 0 means exact, 1 means no information.

    A number or date costs the width of its published range divided by the width of the column, any other value (values
    that the label covers - 1) / (values of the column - 1); every cell of a suppressed record costs 1. The mean is
    taken over all records and over the quasi columns, weighted if weights are given.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> everything = generalize_levels(hospital(), {"Job": 2, "Sex": 1, "Age": 2})
    >>> Ncp().measure(everything)
    1.0

    References: Xu et al. (2006), "Utility-based anonymization using local recoding".
    """

    limits = (0.0, 1.0)

    weights: Mapping[str, float] | None = param(None, doc="weights of quasi columns; 1 for columns that are not named")

    def per_column(self, release: Measurable) -> dict[str, float]:
        """The mean penalty of each quasi column."""
        totals = self.totals(release)
        return {name: total / max(release.original.records, 1) for name, total in totals.items()}

    def _combine(self, totals: Totals, original: Table) -> Any:
        weights = weigh(self.weights, tuple(totals))
        weighted = sum(weights[name] * total for name, total in totals.items())
        return weighted / max(original.records, 1) / sum(weights.values())

    def _price(self, cells: Cells) -> Prices:
        return cells.labels.ncp[cells.published]

    def _full_price(self, cells: Cells) -> float:
        return 1.0
