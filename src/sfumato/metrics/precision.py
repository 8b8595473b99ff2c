"""Precision: the share of the heights of the taxonomies by which values are not generalized."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.data.table import Table
from sfumato.metrics.base import CellMetric, Cells, Prices, Totals


@dataclass(frozen=True, kw_only=True)
class Precision(CellMetric):
    """How little the published values are generalized in their taxonomies: 1 means exact, 0 means no information.

    It is 1 minus the mean share of the height by which a cell is generalized. In a column without a taxonomy this share
    is 0 for an exact value and 1 for any other; a suppressed record counts as generalized to the root.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> Precision().measure(generalize_levels(hospital(), {"Job": 2, "Sex": 1, "Age": 0}))
    0.33333333333333337

    References: Sweeney (2002), "Achieving k-anonymity privacy protection using generalization and suppression" (Prec).
    """

    better = "higher"
    limits = (0.0, 1.0)

    def _combine(self, totals: Totals, original: Table) -> Any:
        return 1 - sum(totals.values()) / max(len(totals) * original.records, 1)

    def _price(self, cells: Cells) -> Prices:
        return cells.labels.climb[cells.published]

    def _full_price(self, cells: Cells) -> float:
        return 1.0
