"""Information loss: the widths of published ranges and the heights of published taxonomy nodes, added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.metrics.base import CellMetric, Cells, Measurable, Prices, Totals
from sfumato.settings.params import param
from sfumato.taxonomies.taxonomy import Taxonomy


@dataclass(frozen=True, kw_only=True)
class InformationLoss(CellMetric):
    """The total loss of all records: numbers lose the width of their range, categories the height of their node.

    A number or date costs the width of its published range divided by the width of its column. A category costs the
    height of the lowest taxonomy node above all values that its label covers, divided by the height of the tree;
    without a taxonomy a label costs 0 or 1. With `min_levels` a category counts as generalized by at least so many
    levels, even if it is published unchanged. A suppressed record costs 1 in every column. With `relative` the result
    is the mean over all cells, from 0 to 1.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> everything = generalize_levels(hospital(), {"Job": 2, "Sex": 1, "Age": 2})
    >>> [InformationLoss(relative=relative).measure(everything) for relative in (False, True)]
    [21.0, 1.0]

    References: Byun, Kamra, Bertino and Li (2007); Kabir (2010), section 4.2.1, whose own figures take `min_levels=1`.
    """

    raw_sum = True

    min_levels: Literal[0, 1] = param(0, doc="fewest levels that a category counts as generalized by")
    relative: bool = param(False, doc="the mean over all cells rather than their sum")

    def per_column(self, release: Measurable) -> dict[str, float]:
        """The loss of each quasi column, summed over the records."""
        return self.totals(release)

    def _combine(self, totals: Totals, original: Table) -> Any:
        return sum(totals.values()) / (max(len(totals) * original.records, 1) if self.relative else 1)

    def _price(self, cells: Cells) -> Prices:
        labels, taxonomy = cells.labels, cells.original.taxonomies.get(cells.column)
        if labels.domain.ordered:
            return labels.ncp[cells.published]
        if taxonomy is None:
            return np.asarray(labels.lo != labels.hi, dtype=np.float64)[cells.published]
        height = heights(taxonomy)
        climbed = height[taxonomy.lowest_common(labels.lo, labels.hi)]
        whole = max(int(height[taxonomy.root]), 1)
        return np.asarray(np.clip(climbed, min(self.min_levels, whole), whole) / whole)[cells.published]

    def _full_price(self, cells: Cells) -> float:
        return 1.0


def heights(taxonomy: Taxonomy) -> NDArray[np.int32]:
    """The height of every node: the largest number of steps from a value below it."""
    height = np.zeros(len(taxonomy.labels), dtype=np.int32)
    steps = np.zeros(len(taxonomy.domain), dtype=np.int32)
    for below, above in zip(taxonomy.nodes[:-1], taxonomy.nodes[1:], strict=True):
        steps = np.where(below != above, steps + 1, steps)
        np.maximum.at(height, above, steps)
    return height
