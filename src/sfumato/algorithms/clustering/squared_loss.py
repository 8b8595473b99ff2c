"""The squared distances of records from the mean of their group, while groups grow."""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.clustering.group_loss import Floats, GroupLoss


class SquaredLoss(GroupLoss):
    """The sum of squared errors (SSE): a record at distance d from the mean of N others adds d^2 N / (N + 1)."""

    def __init__(self, points: Floats, groups: int) -> None:
        super().__init__(groups)
        self.points = points
        self.mean = np.zeros((groups, points.shape[1]))

    def increases(self, row: int) -> Floats:
        """What each group would lose more if a record of the row joined it."""
        squared = ((self.mean - self.points[row]) ** 2).sum(axis=1)
        return np.asarray(squared * self.size / (self.size + 1))

    def increases_by(self, group: int) -> Floats:
        """What a group would lose more if a record of each row joined it."""
        squared = ((self.points - self.mean[group]) ** 2).sum(axis=1)
        return np.asarray(squared * self.size[group] / (self.size[group] + 1))

    def pairs(self, row: int) -> Floats:
        """Half the squared distance from each row."""
        return np.asarray(((self.points - self.points[row]) ** 2).sum(axis=1) / 2)

    def join(self, row: int, group: int, records: int) -> None:
        """Let records of a row join a group."""
        self.size[group] += records
        self.mean[group] += (self.points[row] - self.mean[group]) * records / self.size[group]
