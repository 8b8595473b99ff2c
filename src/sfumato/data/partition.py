"""A partition: which group every row of a table belongs to, or how its records are shared out among groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Partition:
    """Run i puts `counts[i]` records of table row `row[i]` into `group[i]`; without counts, run i is all of row i.

    Groups are numbered from 0 without gaps. Runs come by row.
    """

    row: NDArray[np.int64]
    group: NDArray[np.int32]
    counts: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        """How many groups there are."""
        return int(self.group.max()) + 1 if len(self.group) else 0

    @classmethod
    def of_labels(cls, labels: NDArray[np.int32]) -> Partition:
        """Every row belongs to one group as a whole."""
        return cls(np.arange(len(labels)), labels)

    def beside(self, others: NDArray[np.bool_], groups: NDArray[np.int32], counts: NDArray[np.int64]) -> Partition:
        """The partition of a larger table, of which this one has all rows but the `others`.

        Those have groups of their own, numbered from 0; `counts` are the records of every row of the larger table.
        """
        kept, added = np.flatnonzero(~others), np.flatnonzero(others)
        row = np.concatenate([kept[self.row], added])
        group = np.concatenate([self.group, groups + len(self)]).astype(np.int32)
        runs = np.concatenate([counts[kept][self.row] if self.counts is None else self.counts, counts[added]])
        order = np.argsort(row, kind="stable")
        return Partition(row[order], group[order], runs[order])

    @classmethod
    def of_records(cls, row: NDArray[np.int64], group: NDArray[np.int32]) -> Partition:
        """Every record belongs to a group of its own choosing; equal records of a row in one group are one run."""
        groups = int(group.max()) + 1 if len(group) else 1
        runs, counts = np.unique(row * groups + group, return_counts=True)
        return cls(runs // groups, (runs % groups).astype(np.int32), counts.astype(np.int64))
