"""The base class of clustering algorithms, whose groups are published as ranges, sets or taxonomy nodes."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.partitioning import Partitioning
from sfumato.data.partition import Partition
from sfumato.data.table import Table
from sfumato.errors import UnsuitableError
from sfumato.models.group_model import GroupModel
from sfumato.runtime.progress import advance
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.clustering.quasi_rows import QuasiRows

Counts = NDArray[np.int64]
Labels = NDArray[np.int32]
Runs = tuple[Counts, Labels, Counts]
"""Assignments of records to groups: the row, the group, and how many records of the row."""


@dataclass(frozen=True, kw_only=True)
class Clustering(Partitioning):
    """Base of all clustering algorithms; a subclass implements `_cluster`.

    Records that agree in all quasi columns are one row, which is compared once. Groups that are too small after
    `_cluster`, or that the model rejects for another reason, are dissolved or merged until the model holds for all
    groups.

    Class attributes: `most_rows` is the largest number of rows, or of records if the time grows with records
    (`by_record`), on which the algorithm starts by default; above it, the algorithm requires `patient` or
    `rows_at_once`.
    """

    most_rows: ClassVar[int] = 200_000
    by_record: ClassVar[bool] = True

    categories: Literal["sets", "taxonomy"] = param("sets", doc="publish sets of categories, or taxonomy nodes")
    labels: Literal["tight", "taxonomy"] = param(
        "tight", doc="publish tight ranges of numbers, or nodes of the taxonomies of all columns that have one"
    )
    min_levels: Literal[0, 1] = param(
        0, doc="fewest levels that a category is charged for, where categories are published as taxonomy nodes"
    )
    rows_at_once: int | None = param(
        None, doc="first cut the records into compact blocks of at most this size", at_least=2
    )
    patient: bool = param(False, doc="start even where comparing all rows with each other will take very long")

    @abstractmethod
    def _cluster(self, rows: QuasiRows, k: int, random: np.random.Generator) -> Runs:
        """Assign each record to one group; groups are numbered from 0 without gaps.

        There are at least 2k records. A group may have fewer than k records; it is repaired like any group that fails.
        """

    def _choose_groups(self, table: Table, model: GroupModel, random: np.random.Generator) -> Partition:
        rows, owner = self._rows(table)
        return self._repair(table, model, rows, owner, self._cluster_records(table, model, rows, owner, random))

    def _cluster_records(
        self, table: Table, model: GroupModel, rows: QuasiRows, owner: Labels, random: np.random.Generator
    ) -> Partition:
        """The groups of `_cluster`, whether the model holds or not."""
        from sfumato.algorithms.clustering.quasi_rows import spread_records

        return spread_records(table, owner, *self._runs(rows, max(model.bounds.least_size(), 1), random))

    def _repair(self, table: Table, model: GroupModel, rows: QuasiRows, owner: Labels, runs: Partition) -> Partition:
        """The groups, changed until the model holds for all of them."""
        from sfumato.algorithms.clustering.covers import covers_at
        from sfumato.algorithms.clustering.group_repair import repair_groups
        from sfumato.algorithms.clustering.quasi_rows import partition_of

        shares = table.rows_at(runs.row, runs.counts)
        labels = repair_groups(shares, covers_at(rows.covers, owner[runs.row]), runs.group, model)
        return partition_of(table, owner, Partition(runs.row, labels, runs.counts))

    def _rows(self, table: Table) -> tuple[QuasiRows, Labels]:
        """The distinct quasi rows, and the number of the quasi row of each table row."""
        from sfumato.algorithms.clustering.covers import covers_of
        from sfumato.algorithms.clustering.quasi_rows import QuasiRows
        from sfumato.algorithms.microaggregation.embedding import embed

        quasi, owner = table.distinct(self._columns(table))
        points = embed(quasi, table.schema.quasi, standardize=True) if self._needs_points() else None
        no_points = np.empty((len(quasi), 0), dtype=np.float64)
        covers = covers_of(self._charged(quasi), sets=self._publishes_sets(), min_levels=self.min_levels)
        return QuasiRows(covers, quasi.counts, no_points if points is None else points), owner

    def _runs(self, rows: QuasiRows, k: int, random: np.random.Generator) -> Runs:
        """Cluster all rows at once, or block by block."""
        if self.rows_at_once is None or self._work(rows.records, len(rows)) <= self.rows_at_once:
            return self._cluster_if_divisible(rows, k, random)
        found, groups, done = [], 0, 0
        # Blocks of fewer than 2k records could not be divided at all.
        for places, block in rows.blocks(max(self.rows_at_once, 2 * k), by_record=self.by_record):
            advance("growing groups", done, len(rows))
            row, group, counts = self._cluster_if_divisible(block, k, random)
            found.append((places[row], group + groups, counts))
            groups, done = groups + int(group.max()) + 1, done + len(block)
        row, group, counts = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return row, group.astype(np.int32), counts

    def _cluster_if_divisible(self, rows: QuasiRows, k: int, random: np.random.Generator) -> Runs:
        """Cluster some rows, or make them one group if there are too few for two."""
        if rows.records < 2 * k:
            return np.arange(len(rows)), np.zeros(len(rows), dtype=np.int32), rows.counts
        return self._cluster(rows, k, random)

    def _columns(self, table: Table) -> tuple[str, ...]:
        """The quasi columns in the order by which rows are sorted."""
        return table.schema.quasi

    def _needs_points(self) -> bool:
        """Whether `_cluster` needs the coordinates of the rows."""
        return False

    def _work(self, records: int, rows: int) -> int:
        """The number by which the running time grows: records, or distinct rows."""
        return records if self.by_record else rows

    def _publishes_sets(self) -> bool:
        return self.categories == "sets" and self.labels == "tight"

    def _publishes_nodes_of_numbers(self) -> bool:
        return self.labels == "taxonomy"

    def _least_levels(self) -> int:
        return self.min_levels

    def _limit(self) -> int:
        """The largest number of rows, or records, on which it starts without `patient`."""
        return self.most_rows

    def _refuse_unsuitable(self, table: Table, model: GroupModel) -> None:
        super()._refuse_unsuitable(table, model)
        what, rows = "records" if self.by_record else "distinct rows", self._work(table.records, len(table))
        limit = self._limit()
        if min(rows, self.rows_at_once or rows) > limit and not self.patient:
            raise UnsuitableError(
                f"{self.name()} compares all {what} with each other or with all groups, and {rows} are more than the "
                f"{limit} it starts on unasked; set rows_at_once = {limit // 10} to work in blocks, patient = true to "
                "wait, or take mondrian."
            )
