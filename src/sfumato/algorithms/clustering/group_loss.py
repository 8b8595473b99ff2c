"""The contract of a loss that is kept while groups grow, which is all that greedy clustering asks for."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class GroupLoss(ABC):
    """What some groups of rows lose, and what they would lose more if another record joined.

    It starts with empty groups; `size` is how many records each has by now. An author writes how losses grow, once for
    one row and all groups, once for one group and all rows.
    """

    def __init__(self, groups: int) -> None:
        self.size = np.zeros(groups, dtype=np.int64)

    @abstractmethod
    def increases(self, row: int) -> Floats:
        """What each group would lose more if a record of the row joined it."""

    @abstractmethod
    def increases_by(self, group: int) -> Floats:
        """What a group would lose more if a record of each row joined it."""

    @abstractmethod
    def pairs(self, row: int) -> Floats:
        """What a record of the row and one of each other row would lose as a group of two."""

    @abstractmethod
    def join(self, row: int, group: int, records: int) -> None:
        """Let records of a row join a group."""
