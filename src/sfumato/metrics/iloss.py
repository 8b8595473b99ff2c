"""ILoss: the share of the domain that a published label covers besides the true value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.data.table import Table
from sfumato.metrics.base import CellMetric, Cells, Measurable, Prices, Totals, weigh
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Iloss(CellMetric):
    """The number of other values that a published label covers, as a share of the domain, summed over all cells.

    A label that covers v of a column's d values costs (v - 1) / d, so an exact value costs 0 and a single cell always
    costs less than 1. A suppressed record costs as much as if all its values were generalized to the root.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> Iloss().measure(generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 0}))
    1.75

    References: Xiao and Tao (2006); book, section 4.1.2, equations 4.1 and 4.2.
    """

    raw_sum = True

    weights: Mapping[str, float] | None = param(None, doc="weights of quasi columns; 1 for columns that are not named")

    def per_column(self, release: Measurable) -> dict[str, float]:
        """The loss of each quasi column, summed over the records, before weighting."""
        return self.totals(release)

    def _combine(self, totals: Totals, original: Table) -> Any:
        weights = weigh(self.weights, tuple(totals))
        return sum(weights[name] * total for name, total in totals.items())

    def _price(self, cells: Cells) -> Prices:
        size = len(cells.labels.domain)
        covered = cells.labels.covered(np.ones(size, dtype=np.int64))
        return ((covered - 1) / size)[cells.published]

    def _full_price(self, cells: Cells) -> float:
        return (len(cells.labels.domain) - 1) / len(cells.labels.domain)
