"""Counting: how many records have all items of an itemset, and how many of those have each sensitive value.

One dense cube per set of columns: one cell per combination of values and sensitive value. Every taxonomy node is a
range of codes, so a cell range is summed up as the difference of two running sums. A cube that would be too large is
split along its longest side, item by item, and the rest is reduced to the items that are still frequent enough.
The rule search and the share statistics are the callers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.knowledge.axis import ItemAxis

Codes = NDArray[np.int64]
Numbers = NDArray[np.float64]

MAX_CELLS = 2**22
"""Number of cells of the largest cube that is allocated, 32 MB."""

NOISE = 1e-9
"""Tolerance for sums of degrees, which are rounded; differences below it are ignored."""


@dataclass(frozen=True, eq=False)
class Itemsets:
    """Itemsets over the same columns, with their counts.

    `places[i]` are the indices of the items of itemset i on the axes, `supports[i]` records have all of them, and
    `counts[i, v]` of these records have the requested sensitive value of number v.
    """

    places: Codes
    supports: Numbers
    counts: Numbers


@dataclass(frozen=True, eq=False)
class Side:
    """One side of a cube: items as ranges of cells; `places` holds their indices on the axis."""

    places: Codes
    first: Codes
    last: Codes
    cells: int
    grades: tuple[Numbers, ...] | None = None

    @classmethod
    def of(cls, axis: ItemAxis) -> Side:
        """A side with every item of an axis, and one cell per code."""
        return cls(np.arange(len(axis)), axis.first, axis.last, len(axis.domain), axis.grades)

    @property
    def length(self) -> int:
        """The larger of the number of cells and the number of items."""
        return max(self.cells, len(self.places))

    def frequent_only(self, codes: Codes, weights: Numbers, floor: float) -> tuple[Side, Codes]:
        """The side with only the items that reach `floor` records, and the codes renumbered to its cells.

        Codes that no remaining item distinguishes share one cell.
        """
        supports = self.sum_over_items(_weighted_counts(codes, weights, (self.cells,)), 0)
        kept = np.flatnonzero(supports >= floor - (NOISE if self.grades else 0))
        first, last = self.first[kept], self.last[kept]
        if self.grades is not None:
            grades = tuple(self.grades[place] for place in kept.tolist())
            # Graded items give each code its own degree, so codes cannot share a cell.
            return Side(self.places[kept], first, last, self.cells, grades), codes
        # Between two neighbouring ends, no remaining item begins or ends, so these codes need not be distinguished.
        # That makes cubes small: their sides grow with the frequent items instead of the domain.
        ends = np.unique(np.concatenate([first, last + 1]))
        cell = np.searchsorted(ends, np.arange(self.cells), side="right")
        return Side(self.places[kept], cell[first], cell[last], len(ends) + 1), cell[codes]

    def sum_over_items(self, cube: Numbers, at: int) -> Numbers:
        """The cube with items instead of cells along side `at`."""
        if self.grades is not None:
            return self._sum_degrees(cube, at)
        # Each item is one cell of its own, in order, so the cube is right as it is.
        if self.cells == len(self.places) and np.array_equal(self.first, self.last):
            return cube
        # Items are overlapping ranges (a node contains its children). A running sum answers each of them with one
        # subtraction; it is exact, because the cells are whole numbers below 2**53.
        running = np.zeros((*cube.shape[:at], self.cells + 1, *cube.shape[at + 1 :]))
        inside = (slice(None),) * at
        np.cumsum(cube, axis=at, out=running[(*inside, slice(1, None))])
        found: Numbers = running.take(self.last + 1, axis=at)
        found -= running.take(self.first, axis=at)
        return found

    def _sum_degrees(self, cube: Numbers, at: int) -> Numbers:
        """The same for graded items: weighted sums, which are exactly zero where nothing is added."""
        grades, moved = self.grades or (), np.moveaxis(cube, at, 0)
        flat = moved.reshape(self.cells, -1)
        added = np.empty((len(grades), flat.shape[1]))
        for place, (lo, degrees) in enumerate(zip(self.first.tolist(), grades, strict=True)):
            # A difference of running sums would leave a rounding error where the
            # true sum is 0, and a count of exactly 0 is what makes a negative rule.
            np.dot(degrees, flat[lo : lo + len(degrees)], out=added[place])
        return np.ascontiguousarray(np.moveaxis(added.reshape(len(grades), *moved.shape[1:]), 0, at))


@dataclass(frozen=True, eq=False)
class Counting:
    """The rows to count and the items they may have; itemsets with fewer than `floor` records are left out.

    `secrets` holds for every row the number of its sensitive value among the requested ones; the number `values`
    stands for all others.
    """

    codes: Mapping[str, Codes]
    sides: Mapping[str, Side]
    secrets: Codes
    values: int
    weights: Numbers
    floor: float

    @classmethod
    def of(cls, table: Table, sensitive: str, wanted: Codes, axes: Mapping[str, ItemAxis], floor: float) -> Counting:
        """Prepare to count the wanted values of the sensitive column against the items of some axes."""
        number = np.full(len(table.domain(sensitive)), len(wanted), dtype=np.int64)
        number[wanted] = np.arange(len(wanted))
        weights = table.counts.astype(np.float64)
        made = {
            name: Side.of(axis).frequent_only(table.codes[name].astype(np.int64), weights, floor)
            for name, axis in axes.items()
        }
        codes = {name: codes for name, (_, codes) in made.items()}
        sides = {name: side for name, (side, _) in made.items()}
        return cls(codes, sides, number[table.codes[sensitive]], len(wanted), weights, floor)

    def itemsets(self, columns: Sequence[str]) -> Iterator[Itemsets]:
        """The frequent itemsets with one item of each of these columns, in one or several parts."""
        sides = [self.sides[name] for name in columns]
        if not all(len(side.places) for side in sides):
            return
        # `length` covers both the cube before and the cube after cells were replaced by items.
        if prod(side.length for side in sides) * (self.values + 1) <= MAX_CELLS or not sides:
            found = self._cube(columns)
            if len(found.supports):
                yield found
            return
        longest = max(range(len(sides)), key=lambda at: sides[at].length)
        others = [name for at, name in enumerate(columns) if at != longest]
        for place, below in self._split_by_item(columns[longest], others):
            for found in below.itemsets(others):
                yield replace(found, places=np.insert(found.places, longest, place, axis=1))

    def _cube(self, columns: Sequence[str]) -> Itemsets:
        sides = [self.sides[name] for name in columns]
        shape = (*(side.cells for side in sides), self.values + 1)
        # The index of the cell of each row in the flat cube; it fits, because the cube has at most MAX_CELLS cells.
        key = np.zeros(len(self.weights), dtype=np.int64)
        for name, side in zip(columns, sides, strict=True):
            key *= side.cells
            key += self.codes[name]
        key = key * shape[-1] + self.secrets
        cube = _weighted_counts(key, self.weights, shape)
        for at in sorted(range(len(sides)), key=lambda at: sides[at].grades is not None):  # exact sums first
            cube = sides[at].sum_over_items(cube, at)
        return self._frequent(cube, sides)

    def _frequent(self, cube: Numbers, sides: Sequence[Side]) -> Itemsets:
        rows = cube.reshape(-1, self.values + 1)
        supports = rows.sum(axis=1)
        # Rounded sums of degrees may fall below the bound by a rounding error; the search decides about them again.
        slack = NOISE if any(side.grades for side in sides) else 0.0
        hits = np.flatnonzero(supports >= self.floor - slack)
        where = np.unravel_index(hits, cube.shape[:-1]) if sides else ()
        places = [side.places[at] for side, at in zip(sides, where, strict=True)]
        found = np.stack(places, axis=1) if places else np.zeros((len(hits), 0), dtype=np.int64)
        return Itemsets(found, supports[hits], rows[hits, : self.values])

    def _split_by_item(self, column: str, others: Sequence[str]) -> Iterator[tuple[int, Counting]]:
        """For each item of a column, its index and the counting restricted to the records that have it."""
        # Rows sorted by code: the rows of an item, which is a range of codes, are then one slice.
        side, order = self.sides[column], np.argsort(self.codes[column], kind="stable")
        codes = self.codes[column][order]
        starts = np.searchsorted(codes, side.first)
        stops = np.searchsorted(codes, side.last, side="right")
        for at, (start, stop) in enumerate(zip(starts.tolist(), stops.tolist(), strict=True)):
            rows = order[start:stop]
            weights = self.weights[rows]
            if side.grades is not None:
                weights = weights * side.grades[at][codes[start:stop] - side.first[at]]
            # Restricted to one item, most items of the other columns
            # are no longer frequent, so the remaining cube is smaller.
            below = {
                name: self.sides[name].frequent_only(self.codes[name][rows], weights, self.floor) for name in others
            }
            yield (
                int(side.places[at]),
                replace(
                    self,
                    codes={name: codes for name, (_, codes) in below.items()},
                    sides={name: narrow for name, (narrow, _) in below.items()},
                    secrets=self.secrets[rows],
                    weights=weights,
                ),
            )


def _weighted_counts(key: Codes, weights: Numbers, shape: tuple[int, ...]) -> Numbers:
    return np.bincount(key, weights, prod(shape)).astype(np.float64, copy=False).reshape(shape)
