"""Distinct rows of the quasi columns, in the forms in which ways of clustering look at them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.compact_blocks import compact_blocks

if TYPE_CHECKING:
    from sfumato.algorithms.clustering.loops.covers import Covers

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows: what it costs to cover them, how many records each is, and where they lie as points.

    Points are only there for those who ask for them; else they have no coordinates.
    """

    covers: Covers
    counts: Counts
    points: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def records(self) -> int:
        """How many records the rows stand for."""
        return int(self.counts.sum())

    @property
    def each(self) -> Counts:
        """The row of every record."""
        return np.repeat(np.arange(len(self)), self.counts)

    def at(self, places: Counts, counts: Counts) -> Rows:
        """The rows at these places, with these counts."""
        return Rows(covers_at(self.covers, places), counts, self.points[places])

    def blocks(self, most: int, *, by_record: bool) -> Iterator[tuple[Counts, Rows]]:
        """Compact blocks of at most so many rows, or records, and which rows those of a block are.

        The records of a row that is too large for a block are shared out over several.
        """
        pieces = -(-self.counts // most) if by_record else np.ones(len(self), dtype=np.int64)
        place = np.repeat(np.arange(len(self)), pieces)
        nth = np.arange(len(place)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        counts = (self.counts[place] + nth) // pieces[place]
        weights = counts if by_record else np.ones(len(place), dtype=np.int64)
        for block in compact_blocks(covers_at(self.covers, place), weights, most):
            yield place[block], self.at(place[block], counts[block])


def covers_at(covers: Covers, places: NDArray[np.integer]) -> Covers:
    """The covers of the rows at these places."""
    terms = (covers.places, covers.nodes, covers.values)
    numbers, nodes, values = (np.ascontiguousarray(term[:, places]) for term in terms)
    return covers._replace(places=numbers, nodes=nodes, values=values)
