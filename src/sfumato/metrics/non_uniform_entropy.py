"""Non-uniform entropy: the share of the information about the original values that a release loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.data.table import Table
from sfumato.metrics.base import CellMetric, Cells, Prices, Totals


@dataclass(frozen=True, kw_only=True)
class NonUniformEntropy(CellMetric):
    """The share of the information in the original values that is lost: 0 means none, 1 means all of it.

    A cell with original value v, published under a label L, loses -log2(f(v) / f(L)) bits, where f(v) is the number of
    original records with v and f(L) the number of those with any value that L covers. A suppressed cell loses
    -log2(f(v) / n), where n is the number of all records. The sum over all cells is divided by the same sum with every
    record suppressed; a table whose columns have one value each contains no information and loses none.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> NonUniformEntropy().measure(generalize_levels(hospital(), {"Job": 2, "Sex": 1, "Age": 2}))
    1.0

    References: Gionis and Tassa (2009), "k-anonymization with minimal loss of information".
    """

    limits = (0.0, 1.0)

    def _combine(self, totals: Totals, original: Table) -> Any:
        everything = sum(_information(original, name) for name in totals)
        return np.minimum(sum(totals.values()) / everything, 1.0) if everything > 0 else 0.0 * sum(totals.values())

    def _price(self, cells: Cells) -> Prices:
        frequency = cells.original.histogram(cells.column).astype(np.float64)
        covered = cells.labels.covered(cells.original.histogram(cells.column)).astype(np.float64)
        return np.log2(covered[cells.published] / frequency[cells.values])

    def _full_price(self, cells: Cells) -> Prices:
        frequency = cells.original.histogram(cells.column).astype(np.float64)
        return np.log2(cells.original.records / frequency[cells.values])


def _information(original: Table, column: str) -> float:
    """The bits that a column loses if every record is suppressed."""
    bits = np.log2(original.records / np.maximum(original.histogram(column), 1))
    return float(bits[original.codes[column]] @ original.counts)
