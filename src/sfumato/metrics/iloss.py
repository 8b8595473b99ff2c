"""ILoss: the share of the domain that a published value could stand for besides the true one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sfumato.metrics.base import CellMetric, Cells, Measurable, Prices, weigh
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Iloss(CellMetric):
    """How many other values each published value could stand for, as a share of its column, added up over all cells.

    A label that covers v of a column's d values costs (v - 1) / d, so an exact value is free and a single cell never
    costs as much as 1. A suppressed record costs as if each of its values had gone to the root.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> Iloss().measure(generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 0}))
    1.75

    References: Xiao and Tao (2006); book, section 4.1.2, equations 4.1 and 4.2.
    """

    weights: Mapping[str, float] | None = param(None, doc="how much each quasi column counts; 1 where not named")

    def per_column(self, release: Measurable) -> dict[str, float]:
        """The loss of each quasi column, added up over the records, before weighting."""
        return self._totals(release)

    def _measure(self, release: Measurable) -> float:
        totals = self._totals(release)
        weights = weigh(self.weights, tuple(totals))
        return sum(weights[name] * total for name, total in totals.items())

    def _price(self, cells: Cells) -> Prices:
        size = len(cells.labels.domain)
        covered = cells.labels.covered(np.ones(size, dtype=np.int64))
        return ((covered - 1) / size)[cells.published]

    def _full_price(self, cells: Cells) -> float:
        return (len(cells.labels.domain) - 1) / len(cells.labels.domain)
