"""Minimal distortion: the number of generalization steps of all published values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.data.table import Table
from sfumato.metrics.base import CellMetric, Cells, Prices, Totals


@dataclass(frozen=True, kw_only=True)
class MinimalDistortion(CellMetric):
    """The number of steps in the taxonomies by which all published values are generalized, summed over all cells.

    A step of one value of one record costs 1. A column without a taxonomy has one step, from exact to anything
    else; every value of a suppressed record counts as generalized to the root.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> MinimalDistortion().measure(generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}))
    14.0

    References: Samarati (2001); Sweeney (2002); book, section 4.1.1.
    """

    raw_sum = True

    def _combine(self, totals: Totals, original: Table) -> Any:
        return sum(totals.values())

    def _price(self, cells: Cells) -> Prices:
        # `climb` is a share of the height, so the rounded product is the whole number of steps.
        return np.rint(cells.labels.climb * cells.steps)[cells.published]

    def _full_price(self, cells: Cells) -> float:
        return float(cells.steps)
