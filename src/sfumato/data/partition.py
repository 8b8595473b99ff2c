"""Partitions: the group of every row of a table, or of every record where equal records go to several groups.

Algorithms return a partition; `operations` turns it into a candidate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.kernels.arrays import Flags


@dataclass(frozen=True, eq=False)
class Partition:
    """Run i puts `counts[i]` records of table row `row[i]` into `group[i]`; without counts, run i is all of row i.

    Groups are numbered from 0 without gaps. Runs are sorted by row.
    """

    row: NDArray[np.int64]
    group: NDArray[np.int32]
    counts: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        """The number of groups."""
        return int(self.group.max()) + 1 if len(self.group) else 0

    @classmethod
    def of_labels(cls, labels: NDArray[np.int32]) -> Partition:
        """Put every row as a whole into one group, given by its label; raises an error if a group has no row."""
        if len(labels) and (labels.min() < 0 or not np.bincount(labels).all()):
            raise ParameterError("groups are numbered from 0 without gaps: every label from 0 to the last has a row.")
        return cls(np.arange(len(labels)), labels)

    def beside(self, others: Flags, groups: NDArray[np.int32], counts: NDArray[np.int64]) -> Partition:
        """Extend the partition to a larger table, which has the rows of this one and those marked in `others`.

        `groups` are the groups of the other rows, numbered from 0; they stay separate from the groups of this
        partition. `counts` are the records of every row of the larger table.
        """
        kept, added = np.flatnonzero(~others), np.flatnonzero(others)
        row = np.concatenate([kept[self.row], added])
        group = np.concatenate([self.group, groups + len(self)]).astype(np.int32)
        runs = np.concatenate([counts[kept][self.row] if self.counts is None else self.counts, counts[added]])
        order = np.argsort(row, kind="stable")
        return Partition(row[order], group[order], runs[order])

    @classmethod
    def of_records(cls, row: NDArray[np.int64], group: NDArray[np.int32]) -> Partition:
        """Put every record into a group: record i is one of row `row[i]`; equal records in one group become one run."""
        groups = int(group.max()) + 1 if len(group) else 1
        runs, counts = np.unique(row * groups + group, return_counts=True)
        return cls(runs // groups, (runs % groups).astype(np.int32), counts.astype(np.int64))
