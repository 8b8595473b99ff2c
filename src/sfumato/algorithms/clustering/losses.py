"""Losses of groups of points, by which `k_member` compares groups, and the greedy growth of groups for any loss.

Holds `GroupLoss`, the interface; `SquaredLoss` and `AbsoluteLoss`; and the greedy algorithm. On ties the algorithm
takes the lowest row or group. For information loss, compiled loops compute the same (`loops/greedy_growth.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import insort

import numpy as np
from numpy.typing import NDArray

from sfumato.runtime.progress import advance

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Labels = NDArray[np.int32]


class GroupLoss(ABC):
    """The loss of several groups of rows, and its increase if another record joined.

    All groups are empty at the start; `size` is the current number of records of each. A subclass computes the increase
    for one row and all groups, and for one group and all rows.
    """

    def __init__(self, groups: int) -> None:
        self.size = np.zeros(groups, dtype=np.int64)

    @abstractmethod
    def increases(self, row: int) -> Floats:
        """The increase of each group's loss if a record of the row joined it."""

    @abstractmethod
    def increases_by(self, group: int) -> Floats:
        """The increase of a group's loss if a record of each row joined it."""

    @abstractmethod
    def pairs(self, row: int) -> Floats:
        """The loss of a group of two: a record of the row and a record of each other row."""

    @abstractmethod
    def join(self, row: int, group: int, records: int) -> None:
        """Add records of a row to a group."""


class SquaredLoss(GroupLoss):
    """The sum of squared errors (SSE): a record at distance d from the mean of N others adds d^2 N / (N + 1)."""

    def __init__(self, points: Floats, groups: int) -> None:
        super().__init__(groups)
        self.points = points
        self.mean = np.zeros((groups, points.shape[1]))

    def increases(self, row: int) -> Floats:
        """The increase of each group's loss if a record of the row joined it."""
        squared = ((self.mean - self.points[row]) ** 2).sum(axis=1)
        return np.asarray(squared * self.size / (self.size + 1))

    def increases_by(self, group: int) -> Floats:
        """The increase of a group's loss if a record of each row joined it."""
        squared = ((self.points - self.mean[group]) ** 2).sum(axis=1)
        return np.asarray(squared * self.size[group] / (self.size[group] + 1))

    def pairs(self, row: int) -> Floats:
        """Half the squared distance from each row."""
        return np.asarray(((self.points - self.points[row]) ** 2).sum(axis=1) / 2)

    def join(self, row: int, group: int, records: int) -> None:
        """Add records of a row to a group."""
        self.size[group] += records
        self.mean[group] += (self.points[row] - self.mean[group]) * records / self.size[group]


class AbsoluteLoss(GroupLoss):
    """The sum of absolute deviations from the medians (ADM).

    A record adds its distance from the interval between the two middle values of the others, which are equal if their
    number is odd: each point of the interval is a median before and after the record joins.
    """

    def __init__(self, points: Floats, groups: int) -> None:
        super().__init__(groups)
        self.points = points
        self.low = np.full((groups, points.shape[1]), -np.inf)
        self.high = np.full((groups, points.shape[1]), np.inf)
        self._sorted: list[list[list[float]]] = [[[] for _ in range(points.shape[1])] for _ in range(groups)]

    def increases(self, row: int) -> Floats:
        """The increase of each group's loss if a record of the row joined it."""
        return _outside(self.points[row], self.low, self.high)

    def increases_by(self, group: int) -> Floats:
        """The increase of a group's loss if a record of each row joined it."""
        return _outside(self.points, self.low[group], self.high[group])

    def pairs(self, row: int) -> Floats:
        """The distance from each row."""
        return np.asarray(np.abs(self.points - self.points[row]).sum(axis=1))

    def join(self, row: int, group: int, records: int) -> None:
        """Add records of a row to a group."""
        self.size[group] += records
        for axis, values in enumerate(self._sorted[group]):
            for _ in range(records):
                insort(values, float(self.points[row, axis]))
            self.low[group, axis] = values[(len(values) - 1) // 2]
            self.high[group, axis] = values[len(values) // 2]


def _outside(places: Floats, low: Floats, high: Floats) -> Floats:
    """The distance of places from ranges, summed over the coordinates."""
    return np.asarray(np.maximum(np.maximum(low - places, places - high), 0.0).sum(axis=-1))


def point_loss(name: str, points: Floats, groups: int) -> GroupLoss:
    """The loss named `sse` or `adm`, for a number of empty groups.

    >>> import numpy as np
    >>> point_loss("sse", np.array([[0.0], [2.0]]), 1).pairs(0).tolist()
    [0.0, 2.0]
    """
    losses: dict[str, type[SquaredLoss] | type[AbsoluteLoss]] = {"sse": SquaredLoss, "adm": AbsoluteLoss}
    return losses[name](points, groups)


def grown_to_size(loss: GroupLoss, counts: Counts, k: int, first: int) -> tuple[Counts, Labels, Counts]:
    """Runs of records: groups of k, each grown from the row farthest from the last seed by the rows that cost least.

    Records of a row join together while there is room. The remaining records, fewer than k, join the group whose loss
    increases least. `first` is the row from which the distance of the first seed is measured.
    """
    left, seed, runs = counts.copy(), first, []
    groups = int(counts.sum()) // k
    for group in range(groups):
        advance("growing groups", group, groups)
        # Rows without records left cannot be chosen.
        seed = row = int(np.argmax(np.where(left > 0, loss.pairs(seed), -np.inf)))
        while True:
            taken = min(int(left[row]), k - int(loss.size[group]))
            loss.join(row, group, taken)
            left[row] -= taken
            runs.append((row, group, taken))
            if loss.size[group] == k:
                break
            row = int(np.argmin(np.where(left > 0, loss.increases_by(group), np.inf)))
    rest = np.flatnonzero(left)
    runs += zip(rest.tolist(), join_least(loss, rest, left[rest]).tolist(), left[rest].tolist(), strict=True)
    row_, group_, count = (np.array(part, dtype=np.int64) for part in zip(*runs, strict=True))
    return row_, group_.astype(np.int32), count


def join_least(loss: GroupLoss, rows: Counts, counts: Counts) -> Labels:
    """Let runs of records, one after the other, join the group whose loss increases least; return the groups."""
    chosen = np.empty(len(rows), dtype=np.int32)
    for run, (row, records) in enumerate(zip(rows.tolist(), counts.tolist(), strict=True)):
        chosen[run] = int(np.argmin(loss.increases(row)))
        loss.join(row, int(chosen[run]), records)
    return chosen
