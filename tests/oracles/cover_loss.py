"""Information loss the plain way: every group is charged anew for the rows it has."""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.clustering.losses import Floats, GroupLoss
from sfumato.kernels.covers import Covers


class CoverLoss(GroupLoss):
    """What groups lose by publishing ranges, sets and nodes around their rows; the kernels find the same, faster."""

    def __init__(self, covers: Covers, groups: int) -> None:
        super().__init__(groups)
        self.covers = covers
        self.members: list[list[int]] = [[] for _ in range(groups)]

    def charge(self, rows: list[int]) -> int:
        """What a group of these rows is charged for each of its records."""
        covers = self.covers
        widths = np.ptp(covers.places[:, rows], axis=1).astype(np.int64)
        mixed = (covers.nodes[:, rows] != covers.nodes[:, rows[:1]]).any(axis=1)
        more = np.array([len(set(values[rows].tolist())) - 1 for values in covers.values], dtype=np.int64)
        numbers = int(np.minimum(widths, covers.whole).sum())
        return covers.base + numbers + int(covers.node_price @ mixed) + int(covers.value_price @ more)

    def increases(self, row: int) -> Floats:
        """What each group would lose more if a record of the row joined it."""
        return np.array([self._increase(group, row) for group in range(len(self.size))], dtype=np.float64)

    def increases_by(self, group: int) -> Floats:
        """What a group would lose more if a record of each row joined it."""
        rows = self.covers.places.shape[1]
        return np.array([self._increase(group, row) for row in range(rows)], dtype=np.float64)

    def pairs(self, row: int) -> Floats:
        """What a record of the row and one of each other row would lose as a group of two."""
        rows = self.covers.places.shape[1]
        return np.array([2 * self.charge([row, other]) for other in range(rows)], dtype=np.float64)

    def join(self, row: int, group: int, records: int) -> None:
        """Let records of a row join a group."""
        self.members[group].append(row)
        self.size[group] += records

    def _increase(self, group: int, row: int) -> int:
        members, size = self.members[group], int(self.size[group])
        before = size * self.charge(members) if members else 0
        return (size + 1) * self.charge([*members, row]) - before
