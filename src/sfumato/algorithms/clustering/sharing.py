"""From groups of distinct quasi rows to groups of the records behind them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.partition import Partition
from sfumato.data.table import Table

Counts = NDArray[np.int64]
Labels = NDArray[np.int32]


def shared_out(table: Table, owner: Labels, row: Counts, group: Labels, counts: Counts) -> Partition:
    """Runs of the table's rows from runs of quasi rows; `owner` says which quasi row each row of the table is.

    Where records that agree in all quasi columns go to several groups, their secrets are spread evenly over these.
    """
    order = np.argsort(row, kind="stable")
    row, group, counts = row[order], group[order], counts[order]
    several = np.bincount(row, minlength=int(owner.max()) + 1) > 1
    single = np.empty(len(several), dtype=np.int32)
    single[row] = group
    whole = np.flatnonzero(~several[owner])
    inside = several[row]
    shared = Partition.of_records(_interleaved(table, owner, several), np.repeat(group[inside], counts[inside]))
    runs = np.concatenate([whole, shared.row])
    by_row = np.argsort(runs, kind="stable")
    groups = np.concatenate([single[owner[whole]], shared.group]).astype(np.int32)
    shares = np.concatenate([table.counts[whole], np.asarray(shared.counts, dtype=np.int64)])
    return Partition(runs[by_row], groups[by_row], shares[by_row])


def partition_of(table: Table, owner: Labels, runs: Partition) -> Partition:
    """The same partition, by rows alone where all records that agree in the quasi columns are in one group."""
    own = owner[runs.row]
    group_of = np.zeros(int(owner.max()) + 1, dtype=np.int32)
    group_of[own] = runs.group
    if np.array_equal(group_of[own], runs.group):
        return Partition.of_labels(group_of[owner])
    merged = Partition.of_records(runs.row, runs.group)
    key = runs.row * len(runs) + runs.group
    counts = np.bincount(np.unique(key, return_inverse=True)[1], weights=runs.counts).astype(np.int64)
    return Partition(merged.row, merged.group, counts)


def _interleaved(table: Table, owner: Labels, several: NDArray[np.bool_]) -> Counts:
    """The records of quasi rows that go to several groups, quasi row after quasi row, no secret before its turn."""
    rows = np.flatnonzero(several[owner])
    counts = table.counts[rows]
    record = np.repeat(rows, counts)
    nth = np.arange(len(record)) - np.repeat(np.cumsum(counts) - counts, counts)
    turn = (nth + 0.5) / np.repeat(counts, counts)
    return record[np.lexsort((record, turn, owner[record]))]
