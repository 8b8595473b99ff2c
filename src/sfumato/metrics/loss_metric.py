"""Loss metric: the mean generalization of the published values, summed over the columns."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.metrics.base import Measurable, TableMetric
from sfumato.metrics.ncp import Ncp
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class LossMetric(TableMetric):
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
        return Ncp().per_column(release)

    def _measure(self, release: Measurable) -> float:
        losses = self.per_column(release)
        return sum(losses.values()) / (max(len(losses), 1) if self.average else 1)
