"""The histogram of group sizes in a report."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.groups import Groups

_MOST_BARS = 14
"""More bars are too narrow for their labels in the narrow picture."""


@dataclass(frozen=True)
class SizeBar:
    """The number of groups with `low` to `high` records, and the number of records in these groups.

    If models count persons, `records` are persons, as `GroupSizes.unit` says.
    """

    low: int
    high: int
    groups: int
    records: int

    @property
    def name(self) -> str:
        """The range of sizes, as text."""
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}–{self.high:,}"


@dataclass(frozen=True)
class GroupSizes:
    """The histogram of group sizes, with the smallest and the largest size; `unit` is what sizes count.

    A person with records in several groups is counted in each of them.
    """

    groups: int
    records: int
    smallest: int
    largest: int
    bars: tuple[SizeBar, ...]
    unit: str = "records"

    @classmethod
    def of(cls, groups: Groups) -> GroupSizes:
        """One bar for each size if there are few; otherwise the widths of the bars grow with the size."""
        sizes, how_many = np.unique(groups.sizes, return_counts=True)
        if not len(sizes):
            return cls(0, 0, 0, 0, (), groups.unit)
        edges = _edges(sizes)
        bars = []
        for low, high in pairwise(edges):
            inside = (sizes >= low) & (sizes < high)
            bars.append(SizeBar(low, high - 1, int(how_many[inside].sum()), int(sizes[inside] @ how_many[inside])))
        return cls(len(groups), groups.records, int(sizes[0]), int(sizes[-1]), tuple(bars), groups.unit)

    @property
    def average(self) -> float:
        """Records, or persons, per group."""
        return self.records / self.groups if self.groups else 0.0


def _edges(sizes: NDArray[np.int64]) -> list[int]:
    """The first size of every bar, and the size after the last bar."""
    smallest, largest = int(sizes[0]), int(sizes[-1])
    if largest - smallest < _MOST_BARS:
        return list(range(smallest, largest + 2))
    edges = np.unique(np.rint(np.geomspace(smallest, largest + 1, _MOST_BARS)).astype(np.int64))
    return [int(edge) for edge in edges]
