"""The distinct rows of the quasi columns, which clustering algorithms group, and the way back to records.

`QuasiRows` is the input of an algorithm. `spread_records` and `partition_of` turn groups of quasi rows into groups of
table rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.covers import compact_blocks, covers_at
from sfumato.data.partition import Partition
from sfumato.data.table import Table
from sfumato.kernels.arrays import Flags

if TYPE_CHECKING:
    from sfumato.kernels.covers import Covers

Counts = NDArray[np.int64]
Labels = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class QuasiRows:
    """Distinct quasi rows: the terms of their cover loss, the number of records of each, and their points.

    Points have no coordinates unless the algorithm needs points.
    """

    covers: Covers
    counts: Counts
    points: NDArray[np.float64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def records(self) -> int:
        """The total number of records."""
        return int(self.counts.sum())

    @property
    def each(self) -> Counts:
        """The row of each record."""
        return np.repeat(np.arange(len(self)), self.counts)

    def at(self, places: Counts, counts: Counts) -> QuasiRows:
        """The rows at these places, with these counts."""
        return QuasiRows(covers_at(self.covers, places), counts, self.points[places])

    def blocks(self, most: int, *, by_record: bool) -> Iterator[tuple[Counts, QuasiRows]]:
        """Compact blocks of at most `most` rows, or records, each with the row numbers of the block.

        A row with too many records for a block is divided over several blocks.
        """
        pieces = -(-self.counts // most) if by_record else np.ones(len(self), dtype=np.int64)
        place = np.repeat(np.arange(len(self)), pieces)
        nth = np.arange(len(place)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        # The floors of (n + 0) / p, (n + 1) / p, ..., (n + p - 1) / p add
        # up to n, so the pieces are as equal as possible and complete.
        counts = (self.counts[place] + nth) // pieces[place]
        weights = counts if by_record else np.ones(len(place), dtype=np.int64)
        for block in compact_blocks(covers_at(self.covers, place), weights, most):
            yield place[block], self.at(place[block], counts[block])


def spread_records(table: Table, owner: Labels, row: Counts, group: Labels, counts: Counts) -> Partition:
    """Runs of table rows from runs of quasi rows; `owner` is the quasi row of each table row.

    If records with the same quasi row are in several groups, their sensitive values are spread evenly over these
    groups.
    """
    order = np.argsort(row, kind="stable")
    row, group, counts = row[order], group[order], counts[order]
    several = np.bincount(row, minlength=int(owner.max()) + 1) > 1
    single = np.empty(len(several), dtype=np.int32)
    single[row] = group
    whole = np.flatnonzero(~several[owner])
    inside = several[row]
    # Records of the same quasi row are interchangeable for the loss, but not for the sensitive values. Interleaving
    # gives each of the groups a similar mixture.
    shared = Partition.of_records(_interleave_records(table, owner, several), np.repeat(group[inside], counts[inside]))
    runs = np.concatenate([whole, shared.row])
    by_row = np.argsort(runs, kind="stable")
    groups = np.concatenate([single[owner[whole]], shared.group]).astype(np.int32)
    shares = np.concatenate([table.counts[whole], np.asarray(shared.counts, dtype=np.int64)])
    return Partition(runs[by_row], groups[by_row], shares[by_row])


def partition_of(table: Table, owner: Labels, runs: Partition) -> Partition:
    """The same partition, by rows alone if all records with the same quasi row are in one group."""
    own = owner[runs.row]
    group_of = np.zeros(int(owner.max()) + 1, dtype=np.int32)
    group_of[own] = runs.group
    if np.array_equal(group_of[own], runs.group):
        return Partition.of_labels(group_of[owner])
    merged = Partition.of_records(runs.row, runs.group)
    key = runs.row * len(runs) + runs.group
    counts = np.bincount(np.unique(key, return_inverse=True)[1], weights=runs.counts).astype(np.int64)
    return Partition(merged.row, merged.group, counts)


def _interleave_records(table: Table, owner: Labels, several: Flags) -> Counts:
    """The records of quasi rows that are in several groups, sorted by quasi row.

    Inside a quasi row, sensitive values alternate evenly.
    """
    rows = np.flatnonzero(several[owner])
    counts = table.counts[rows]
    record = np.repeat(rows, counts)
    nth = np.arange(len(record)) - np.repeat(np.cumsum(counts) - counts, counts)
    # The n-th of m equal rows has its turn at (n + 1/2) / m, so rows with different values alternate at an even rate.
    turn = (nth + 0.5) / np.repeat(counts, counts)
    return record[np.lexsort((record, turn, owner[record]))]
