"""The distances of records from the median of their group, coordinate by coordinate, while groups grow."""

from __future__ import annotations

from bisect import insort

import numpy as np

from sfumato.algorithms.clustering.group_loss import Floats, GroupLoss


class AbsoluteLoss(GroupLoss):
    """The sum of absolute deviations from the medians (ADM).

    A record adds how far it lies outside of the two middle values of the others, which are one where their number is
    odd: whatever lies between the two is a median both before and after.
    """

    def __init__(self, points: Floats, groups: int) -> None:
        super().__init__(groups)
        self.points = points
        self.low = np.full((groups, points.shape[1]), -np.inf)
        self.high = np.full((groups, points.shape[1]), np.inf)
        self._sorted: list[list[list[float]]] = [[[] for _ in range(points.shape[1])] for _ in range(groups)]

    def increases(self, row: int) -> Floats:
        """What each group would lose more if a record of the row joined it."""
        return _outside(self.points[row], self.low, self.high)

    def increases_by(self, group: int) -> Floats:
        """What a group would lose more if a record of each row joined it."""
        return _outside(self.points, self.low[group], self.high[group])

    def pairs(self, row: int) -> Floats:
        """The distance from each row."""
        return np.asarray(np.abs(self.points - self.points[row]).sum(axis=1))

    def join(self, row: int, group: int, records: int) -> None:
        """Let records of a row join a group."""
        self.size[group] += records
        for axis, values in enumerate(self._sorted[group]):
            for _ in range(records):
                insort(values, float(self.points[row, axis]))
            self.low[group, axis] = values[(len(values) - 1) // 2]
            self.high[group, axis] = values[len(values) // 2]


def _outside(places: Floats, low: Floats, high: Floats) -> Floats:
    """How far places lie outside of ranges, added up over the coordinates."""
    return np.asarray(np.maximum(np.maximum(low - places, places - high), 0.0).sum(axis=-1))
