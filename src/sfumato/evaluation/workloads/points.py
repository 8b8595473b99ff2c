"""Records as points: the quasi columns of a table, raw or published, as coordinates for a clusterer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.labels import Labels
from sfumato.data.table import Table
from sfumato.errors import UsageError
from sfumato.runtime.representations import sizes_only

Points = NDArray[np.float64]
MOST_CELLS = 100_000_000
"""Largest total number of coordinates (0.8 GB) that is accepted."""


def points_of(table: Table, *, midpoints: bool = True) -> Points:
    """One point for every row of a table, computed from its quasi columns, which all have the same weight.

    A number or date is its value, a published range the midpoint of its least and its largest value (or a category,
    without `midpoints`). Every category has a coordinate of its own, and so have missing numbers. All coordinates of a
    column together have variance 1 over the records, which for a plain number is the usual z-score.

    >>> from sfumato.datasets import hospital
    >>> points_of(hospital()).shape
    (6, 7)
    """
    columns = [_Column.of(table, name, midpoints=midpoints) for name in table.schema.quasi]
    width = sum(column.width for column in columns)
    if len(table) * width > MOST_CELLS:
        raise UsageError(
            f"{len(table)} points with {width} coordinates are too many to cluster (at most {MOST_CELLS} numbers); "
            "publish fewer different labels (taxonomy nodes rather than sets), or choose fewer quasi columns."
        )
    weights = table.counts.astype(np.float64)
    blocks = [column.coordinates(weights) for column in columns]
    return np.concatenate(blocks, axis=1) if blocks else np.zeros((len(table), 0))


class _Column(NamedTuple):
    """One column: the code of every row, numbered without gaps, and the position of each code if codes are numbers."""

    codes: NDArray[np.int64]
    places: NDArray[np.float64] | None
    used: int

    def __repr__(self) -> str:
        return sizes_only(self)

    @classmethod
    def of(cls, table: Table, name: str, *, midpoints: bool) -> _Column:
        used, codes = np.unique(table.codes[name], return_inverse=True)
        places = _places(table.domains[name], midpoints=midpoints)
        return cls(codes.reshape(-1), None if places is None else places[used], len(used))

    @property
    def width(self) -> int:
        return self.used if self.places is None else 2

    def coordinates(self, weights: NDArray[np.float64]) -> Points:
        if self.places is None:
            shown = np.zeros((len(self.codes), self.used))
            shown[np.arange(len(self.codes)), self.codes] = 1.0
            return _standard(shown, weights)
        gone = np.isnan(self.places)[self.codes]
        place = np.where(gone, 0.0, self.places[self.codes])
        known = np.zeros_like(place)
        # Missing numbers lie at the mean of the known ones, which is 0 after scaling.
        known[~gone] = _standard(place[~gone, None], weights[~gone])[:, 0]
        if not gone.any():
            return known[:, None]
        return _standard(np.column_stack([known, gone]), weights)


def _places(found: Domain | Labels, *, midpoints: bool) -> NDArray[np.float64] | None:
    """The position of every code; NaN for a missing value, None if codes are categories."""
    if isinstance(found, Domain):
        return found.numbers
    domain = found.domain
    if domain.numbers is None or not midpoints:
        return None
    last = np.minimum(found.hi, max(domain.present - 1, 0))  # ignores the missing value in a range that includes it
    middle = (domain.numbers[found.lo] + domain.numbers[last]) / 2
    return np.where(found.lo >= domain.present, np.nan, middle)


def _standard(block: Points, weights: NDArray[np.float64]) -> Points:
    """The block centred on its mean and scaled to a total variance of 1; zeros if it is constant."""
    if not len(block) or (block == block[:1]).all():
        return np.zeros_like(block)
    share = weights / weights.sum()
    centred = block - share @ block
    scaled: Points = centred / np.sqrt(share @ (centred**2).sum(axis=1))
    return scaled
