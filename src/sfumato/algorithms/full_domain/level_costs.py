"""What each level of each column costs, for metrics that add up cells: the costs of nodes without making releases.

A column of a full-domain release depends on its level alone, so its costs are summed once per level. What suppressed
records cost more is added per node. Where a suppressed cell never costs less than a published one, and no cell gets
cheaper on a higher level, the costs without suppression are bounds for the node and for all nodes above it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.full_domain.distinct_rows import RecodedRows
from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.algorithms.full_domain.loops.recoded_groups import added_costs
from sfumato.data.labels import Labels
from sfumato.data.table import Table
from sfumato.metrics.base import CellMetric, Cells, weigh

Mean = Literal["arithmetic", "geometric"]
Costs = NDArray[np.float64]

_ROUNDING = 1e-9


class LevelCosts:
    """The costs of all levels of the columns of a lattice.

    `bounded` says whether the cost of a node without suppression is a lower bound for it and for all nodes above;
    `mergeable` whether rows that are equal at a node cost the same if they are suppressed at a higher one.
    """

    def __init__(self, lattice: Lattice, table: Table, metric: CellMetric, mean: Mean = "arithmetic") -> None:
        self._lattice, self._table, self._metric, self._mean = lattice, table, metric, mean
        self._totals: list[Costs] = []
        self._extra: list[list[Costs]] = []
        self._whole: dict[str, float] = {}
        self.bounded = self.mergeable = True
        for name in lattice.columns:
            self._add(name)

    def bound(self, levels: Levels) -> float:
        """The loss of a node if no record were suppressed; lower is better."""
        return float(self._loss(self._of_levels(levels)))

    def bounds(self) -> Costs:
        """The bounds of all nodes, as an array with one axis per column."""
        shape = self._lattice.shape
        totals = [
            costs.reshape([-1 if axis == place else 1 for axis in range(len(shape))])
            for place, costs in enumerate(self._totals)
        ]
        found = self._loss(dict(zip(self._lattice.columns, totals, strict=True)))
        return np.broadcast_to(np.asarray(found, dtype=np.float64), shape)

    def loss(self, levels: Levels, recoded: RecodedRows, left: NDArray[np.int64]) -> float:
        """The loss of a node of which so many records of each row are left; lower is better."""
        totals, rows = self._of_levels(levels), recoded.rows
        if left is not rows.table.counts:
            extra = np.concatenate([costs[level] for costs, level in zip(self._extra, levels, strict=True)])
            added = added_costs(rows.codes, rows.offset, extra, rows.table.counts, left)
            totals = {name: total + more for (name, total), more in zip(totals.items(), added.tolist(), strict=True)}
        return float(self._loss(totals))

    def _of_levels(self, levels: Levels) -> dict[str, float]:
        """The costs of the columns of a node without suppression."""
        return {
            name: float(costs[level])
            for name, costs, level in zip(self._lattice.columns, self._totals, levels, strict=True)
        }

    def _loss(self, totals: Mapping[str, Any]) -> Any:
        """One number, or an array of numbers, from the costs of the columns."""
        if self._mean == "arithmetic":
            found = self._metric.combined(totals, self._table)
            return found if self._metric.better == "lower" else -found
        weights = weigh(getattr(self._metric, "weights", None), tuple(totals))
        shares = {name: 1 + total / (self._whole[name] or 1.0) for name, total in totals.items()}
        return prod(share ** (weights[name] / sum(weights.values())) for name, share in shares.items()) - 1

    def _add(self, name: str) -> None:
        """Sum up the costs of the levels of one more column."""
        taxonomy, often = self._table.taxonomies[name], self._table.histogram(name)
        values = np.arange(len(often), dtype=np.int32)
        there, totals, extra = often > 0, [], []
        before: Costs = np.full(len(often), -np.inf)
        for nodes in taxonomy.nodes:
            labels, published = Labels.of_nodes(taxonomy, nodes)
            gone = np.zeros(len(often), dtype=bool)
            with np.errstate(divide="ignore", invalid="ignore"):  # values that only other tables have
                price, full = self._metric.prices(Cells(name, self._table, values, labels, published, gone, often))
                more = np.where(there, full - price, 0.0)
            totals.append(float(np.where(there, price, 0.0) @ often))
            extra.append(more)
            self._whole[name] = float(np.where(there, full, 0.0) @ often)
            self.bounded &= bool((more >= -_ROUNDING).all() and (price >= before - _ROUNDING)[there].all())
            self.mergeable &= _same_within(published, more, there)
            before = price
        self._totals.append(np.array(totals))
        self._extra.append(extra)


def _same_within(groups: NDArray[np.int32], numbers: Costs, there: NDArray[np.bool_]) -> bool:
    """Whether a number is the same for all values of a group that are there."""
    if not there.any():
        return True
    low, high = np.full(groups.max() + 1, np.inf), np.full(groups.max() + 1, -np.inf)
    np.minimum.at(low, groups[there], numbers[there])
    np.maximum.at(high, groups[there], numbers[there])
    return bool((high - low <= _ROUNDING).all())
