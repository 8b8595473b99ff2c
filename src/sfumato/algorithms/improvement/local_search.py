"""Local search: changes given groups in small steps so that their loss falls.

`LocalSearch` carries the limits of the search from `partition_improver` to the algorithms whose groups it improves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.partition import Partition
from sfumato.data.table import Table
from sfumato.models.group_model import GroupModel

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


@dataclass(frozen=True)
class LocalSearch:
    """The limits of a local search: moves per record and seconds; and the seed of its random moves."""

    effort: float
    seconds: float | None
    seed: int

    def of_points(self, points: Points, labels: Labels, k: int) -> Labels:
        """Groups of at least k points with a smaller squared error, or the same groups."""
        from sfumato.algorithms.improvement.simulated_annealing import improve_groups

        return improve_groups(points, labels, k, effort=self.effort, seed=self.seed, seconds=self.seconds)

    def of_covers(
        self, table: Table, chosen: Partition, model: GroupModel, *, sets: bool, min_levels: int = 0
    ) -> Partition:
        """Groups that satisfy the model and publish narrower ranges, smaller sets or lower nodes, or the same groups.

        The search only keeps the size of groups. Groups that fail the model afterwards are repaired. If the loss is
        then larger than that of the given groups, the given groups are returned.
        """
        from sfumato.algorithms.improvement.cover_annealing import anneal_covers

        k = max(model.bounds.least_size(), 1)
        found = anneal_covers(
            table, chosen, k, sets=sets, min_levels=min_levels, effort=self.effort, seed=self.seed, seconds=self.seconds
        )
        found = _repair(table, found, model, sets, min_levels)
        # The repair may cost more than the search gained. On ties the given groups come first and stay.
        return min(chosen, found, key=lambda one: _loss(table, one, sets, min_levels))


def _repair(table: Table, partition: Partition, model: GroupModel, sets: bool, min_levels: int) -> Partition:
    """Change the groups until all satisfy the model."""
    from sfumato.algorithms.clustering.covers import covers_of
    from sfumato.algorithms.clustering.group_repair import repair_groups

    runs = table.rows_at(partition.row, _counts(table, partition))
    covers = covers_of(runs, sets=sets, min_levels=min_levels)
    labels = repair_groups(runs, covers, partition.group.copy(), model)
    return Partition(partition.row, labels, _counts(table, partition))


def _loss(table: Table, partition: Partition, sets: bool, min_levels: int) -> int:
    """The total loss of all groups when each publishes what covers its records."""
    from sfumato.algorithms.clustering.covers import covers_of
    from sfumato.kernels.covers import empty_group_covers, join_runs

    runs = table.rows_at(partition.row, _counts(table, partition))
    covers = covers_of(runs, sets=sets, min_levels=min_levels)
    grown = empty_group_covers(covers, len(partition))
    join_runs(covers, grown, np.arange(len(runs)), partition.group, runs.counts)
    # A missing value lies far beyond all numbers, so a range with both is wider than `whole`, but costs only `whole`.
    widths = np.minimum(grown.high - grown.low, covers.whole).sum(axis=0, dtype=np.int64)
    return int(grown.size @ (grown.category_loss + widths))


def _counts(table: Table, partition: Partition) -> NDArray[np.int64]:
    """The number of records of each row of a partition."""
    return table.counts[partition.row] if partition.counts is None else partition.counts
