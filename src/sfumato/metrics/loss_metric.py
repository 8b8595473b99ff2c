"""Loss metric: the mean generalization of the published values, summed over the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.data.table import Table
from sfumato.metrics.base import CellMetric, Cells, Measurable, Prices, Totals
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class LossMetric(CellMetric):
    """The mean generalization of the published values, from 0 to 1 per column, summed over the quasi columns.

    A label that covers M_p of the M categories of a column costs (M_p - 1) / (M - 1), a range of numbers or dates its
    width divided by the width of the column, and every cell of a suppressed record 1. Cells cost the same as in `ncp`,
    which takes the weighted mean over the columns; this metric takes their plain sum. With `average` it is `ncp`
    without weights.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> everything = generalize_levels(hospital(), {"Job": 2, "Sex": 1, "Age": 2})
    >>> LossMetric().measure(everything), LossMetric(average=True).measure(everything)
    (3.0, 1.0)

    References: Iyengar (2002), "Transforming data to satisfy privacy constraints" (LM).
    """

    average: bool = param(False, doc="the mean over the quasi columns rather than their sum")

    def per_column(self, release: Measurable) -> dict[str, float]:
        """The mean loss of each quasi column."""
        return {name: total / max(release.original.records, 1) for name, total in self.totals(release).items()}

    def _combine(self, totals: Totals, original: Table) -> Any:
        columns = max(len(totals), 1) if self.average else 1
        return sum(totals.values()) / max(original.records, 1) / columns

    def _price(self, cells: Cells) -> Prices:
        return cells.labels.ncp[cells.published]

    def _full_price(self, cells: Cells) -> float:
        return 1.0
