"""Local search: groups that are there already, changed little by little so that they lose less."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.partition import Partition
from sfumato.data.table import Table
from sfumato.models.base import PrivacyModel

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


@dataclass(frozen=True)
class LocalSearch:
    """How long to look for better groups: moves for each record, or seconds; and the chance that decides on them."""

    effort: float
    seconds: float | None
    seed: int

    def of_points(self, points: Points, labels: Labels, k: int) -> Labels:
        """Groups of at least k points with smaller squared errors, or the same ones."""
        from sfumato.algorithms.microaggregation.improved import improved

        return improved(points, labels, k, effort=self.effort, seed=self.seed, seconds=self.seconds)

    def of_covers(
        self, table: Table, chosen: Partition, model: PrivacyModel, *, sets: bool, min_levels: int = 0
    ) -> Partition:
        """Groups that hold and publish narrower ranges and smaller sets or lower nodes, or the same ones.

        The search looks after the size of groups. Those that a model finds unsafe after it are mended, and if they lose
        more then than the groups it began with, it was in vain.
        """
        from sfumato.algorithms.improvement.cover_annealing import anneal_covers

        k = max(model.least_size(), 1)
        found = anneal_covers(
            table, chosen, k, sets=sets, min_levels=min_levels, effort=self.effort, seed=self.seed, seconds=self.seconds
        )
        found = _mended(table, found, model, sets, min_levels)
        return min(chosen, found, key=lambda one: _loss(table, one, sets, min_levels))


def _mended(table: Table, partition: Partition, model: PrivacyModel, sets: bool, min_levels: int) -> Partition:
    """The groups changed until all hold."""
    from sfumato.algorithms.clustering.covers import covers_of
    from sfumato.algorithms.clustering.group_repair import repair_groups

    runs = table.rows_at(partition.row, _counts(table, partition))
    covers = covers_of(runs, sets=sets, min_levels=min_levels)
    labels = repair_groups(runs, covers, partition.group.copy(), model)
    return Partition(partition.row, labels, _counts(table, partition))


def _loss(table: Table, partition: Partition, sets: bool, min_levels: int) -> int:
    """What all groups together lose by publishing what covers them."""
    from sfumato.algorithms.clustering.covers import covers_of
    from sfumato.algorithms.clustering.loops.covers import join_runs, nothing_grown

    runs = table.rows_at(partition.row, _counts(table, partition))
    covers = covers_of(runs, sets=sets, min_levels=min_levels)
    grown = nothing_grown(covers, len(partition))
    join_runs(covers, grown, np.arange(len(runs)), partition.group, runs.counts)
    widths = np.minimum(grown.high - grown.low, covers.whole).sum(axis=0, dtype=np.int64)
    return int(grown.size @ (grown.settled + widths))


def _counts(table: Table, partition: Partition) -> NDArray[np.int64]:
    return table.counts[partition.row] if partition.counts is None else partition.counts
