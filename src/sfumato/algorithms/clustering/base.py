"""The contract of clustering: groups of near rows that are published as ranges, sets or taxonomy nodes."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.base import Partitioning
from sfumato.data.partition import Partition
from sfumato.data.table import Table
from sfumato.errors import UnsuitableError
from sfumato.models.base import PrivacyModel
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.clustering.rows import Rows

Counts = NDArray[np.int64]
Labels = NDArray[np.int32]
Runs = tuple[Counts, Labels, Counts]
"""Records put into groups, run by run: of which row, into which group, how many."""


@dataclass(frozen=True, kw_only=True)
class Clustering(Partitioning):
    """Base of all ways of clustering; an author writes `_cluster`.

    Rows that agree in all quasi columns are looked at once. Groups that the author's step leaves too small, or that the
    model does not find safe for another reason, are dissolved or merged until all hold.

    Facts: `most_rows` is how many rows, or records where the time grows `by_record`, it compares with each other
    unasked; of more it refuses to start unless it is told to be `patient` or to work on `rows_at_once`.
    """

    needs: ClassVar[frozenset[str]] = frozenset({"judges_groups_alone"})
    most_rows: ClassVar[int] = 200_000
    by_record: ClassVar[bool] = True

    categories: Literal["sets", "taxonomy"] = param("sets", doc="publish sets of categories, or taxonomy nodes")
    min_levels: Literal[0, 1] = param(
        0, doc="fewest levels that a category is charged for, where categories are published as taxonomy nodes"
    )
    rows_at_once: int | None = param(None, doc="cut the records into compact blocks of at most so many", at_least=2)
    patient: bool = param(False, doc="start even where comparing all rows with each other will take very long")

    @abstractmethod
    def _cluster(self, rows: Rows, k: int, random: np.random.Generator) -> Runs:
        """Every record once, in groups numbered from 0 without gaps.

        There are at least 2k records. A group may be smaller than k; it is mended like one that fails otherwise.
        """

    def _choose_groups(self, table: Table, model: PrivacyModel, random: np.random.Generator) -> Partition:
        rows, owner = self._rows(table)
        return self._mended(table, model, rows, owner, self._unmended(table, model, rows, owner, random))

    def _unmended(
        self, table: Table, model: PrivacyModel, rows: Rows, owner: Labels, random: np.random.Generator
    ) -> Partition:
        """Groups as the author's step makes them, whether they hold or not."""
        from sfumato.algorithms.clustering.sharing import shared_out

        return shared_out(table, owner, *self._runs(rows, max(model.least_size(), 1), random))

    def _mended(self, table: Table, model: PrivacyModel, rows: Rows, owner: Labels, runs: Partition) -> Partition:
        """Groups changed until all hold."""
        from sfumato.algorithms.clustering.mending import mended
        from sfumato.algorithms.clustering.rows import covers_at
        from sfumato.algorithms.clustering.sharing import partition_of

        shares = table.rows_at(runs.row, runs.counts)
        labels = mended(shares, covers_at(rows.covers, owner[runs.row]), runs.group, model)
        return partition_of(table, owner, Partition(runs.row, labels, runs.counts))

    def _rows(self, table: Table) -> tuple[Rows, Labels]:
        """The distinct quasi rows, and which of them every row of the table is."""
        from sfumato.algorithms.clustering.covering import covers_of
        from sfumato.algorithms.clustering.rows import Rows
        from sfumato.algorithms.microaggregation.embedding import embedded

        quasi, owner = table.condensed(self._columns(table))
        points = embedded(quasi, table.schema.quasi, standardize=True) if self._lies_in_space() else None
        nowhere = np.empty((len(quasi), 0), dtype=np.float64)
        covers = covers_of(quasi, sets=self._publishes_sets(), min_levels=self.min_levels)
        return Rows(covers, quasi.counts, nowhere if points is None else points), owner

    def _runs(self, rows: Rows, k: int, random: np.random.Generator) -> Runs:
        """All rows at once, or block after block."""
        if self.rows_at_once is None or self._work(rows.records, len(rows)) <= self.rows_at_once:
            return self._clustered(rows, k, random)
        found, groups = [], 0
        for places, block in rows.blocks(max(self.rows_at_once, 2 * k), by_record=self.by_record):
            row, group, counts = self._clustered(block, k, random)
            found.append((places[row], group + groups, counts))
            groups += int(group.max()) + 1
        row, group, counts = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return row, group.astype(np.int32), counts

    def _clustered(self, rows: Rows, k: int, random: np.random.Generator) -> Runs:
        if rows.records < 2 * k:
            return np.arange(len(rows)), np.zeros(len(rows), dtype=np.int32), rows.counts
        return self._cluster(rows, k, random)

    def _columns(self, table: Table) -> tuple[str, ...]:
        """The quasi columns in the order by which rows are sorted."""
        return table.schema.quasi

    def _lies_in_space(self) -> bool:
        """Whether the author's step asks for points."""
        return False

    def _work(self, records: int, rows: int) -> int:
        return records if self.by_record else rows

    def _publishes_sets(self) -> bool:
        return self.categories == "sets"

    def _least_levels(self) -> int:
        return self.min_levels

    def _limit(self) -> int:
        """How many rows, or records, it starts on without being asked to be patient."""
        return self.most_rows

    def _refuse_unsuitable(self, table: Table, model: PrivacyModel) -> None:
        super()._refuse_unsuitable(table, model)
        what, rows = "records" if self.by_record else "distinct rows", self._work(table.records, len(table))
        limit = self._limit()
        if min(rows, self.rows_at_once or rows) > limit and not self.patient:
            raise UnsuitableError(
                f"{self.name()} compares all {what} with each other or with all groups, and {rows} are more than the "
                f"{limit} it starts on unasked; set rows_at_once = {limit // 10} to work in blocks, patient = true to "
                "wait, or take mondrian."
            )
