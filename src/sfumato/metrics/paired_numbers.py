"""Masked: the numbers of the same records before and after masking, row beside row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.labels import Labels
from sfumato.errors import UsageError
from sfumato.releases.candidate import Candidate

Floats = NDArray[np.float64]
_LARGEST = 1e150
_CONSTANT = 1e-12
"""A column whose spread is this small beside its largest value differs by rounding alone."""


@dataclass(frozen=True, eq=False)
class Masked:
    """Numbers as they were and as they are published, one column each, in the same order of rows.

    `counts[i]` is how many records row i of both stands for. A missing number is NaN. What compares records pair by
    pair leaves out those that miss a number on either side: it looks at `complete`, and `incomplete` says how many are
    left out.

    >>> pair = Masked.of_arrays([[1.0], [3.0], [np.nan]], [[2.0], [2.0], [2.0]], columns=["age"])
    >>> pair.people, pair.incomplete, pair.complete.spread.tolist()
    (2, 1, [1.0])
    """

    columns: tuple[str, ...]
    original: Floats
    published: Floats
    counts: NDArray[np.int64]

    @classmethod
    def of_arrays(
        cls, original: Any, published: Any, *, columns: Sequence[str] | None = None, counts: Any = None
    ) -> Masked:
        """From two matrices of the same shape, one row a record; a plain list of numbers is one column."""
        before, after = _matrix(original), _matrix(published)
        if before.shape != after.shape:
            raise UsageError(
                f"the numbers before and after masking must pair up; got {_shape(before)} and {_shape(after)}."
            )
        names = tuple(columns) if columns is not None else tuple(f"x{place + 1}" for place in range(before.shape[1]))
        often = np.ones(len(before), dtype=np.int64) if counts is None else np.asarray(counts, dtype=np.int64)
        if len(names) != before.shape[1] or often.shape != (len(before),) or (often < 1).any():
            raise UsageError(
                f"{_shape(before)} need a name for every column and a count of at least 1 for every row; "
                f"got {len(names)} names and {often.size} counts."
            )
        return cls(names, before, after, often)

    @classmethod
    def of_candidate(cls, candidate: Candidate) -> Masked:
        """The quasi columns that a candidate publishes as numbers, or days; suppressed rows are left out.

        Where links between columns are cut there are none: no published row is one record's.
        """
        names = [] if candidate.linkage.cut else list(candidate.published.schema.quasi)
        shown, origin = ~candidate.suppressed, candidate.origin[~candidate.suppressed]
        found: dict[str, tuple[Floats, Floats]] = {}
        for name in names:
            before, after = candidate.original.domain(name).numbers, _published_numbers(candidate, name)
            if before is not None and after is not None:
                was = before[candidate.original.codes[name][origin]]
                found[name] = was, after[candidate.published.codes[name][shown]]
        empty = np.zeros((int(shown.sum()), 0))
        original = np.column_stack([pair[0] for pair in found.values()]) if found else empty
        published = np.column_stack([pair[1] for pair in found.values()]) if found else empty
        return cls(tuple(found), original, published, candidate.published.counts[shown])

    @property
    def people(self) -> int:
        """How many records have every number on both sides."""
        return int(self.complete.counts.sum())

    @property
    def incomplete(self) -> int:
        """How many records miss a number on one side or the other."""
        return int(self.counts.sum()) - self.people

    @property
    def truth_known(self) -> bool:
        """Whose numbers are whose is known: they stand side by side."""
        return True

    @property
    def changed(self) -> bool:
        """Whether any number is published as another one."""
        return not np.array_equal(self.original, self.published, equal_nan=True)

    @cached_property
    def complete(self) -> Masked:
        """Only the rows that have every number on both sides."""
        gone = np.isnan(self.original).any(axis=1) | np.isnan(self.published).any(axis=1)
        if not gone.any():
            return self
        kept = ~gone
        return Masked(self.columns, self.original[kept], self.published[kept], self.counts[kept])

    @cached_property
    def spread(self) -> Floats:
        """The standard deviation of every original column; 1 for one that is the same everywhere."""
        deviation = np.sqrt(np.diagonal(moments(self.original, self.counts)[1]))
        largest = np.abs(self.original).max(axis=0, initial=0.0)
        return np.where(deviation > _CONSTANT * largest, deviation, 1.0)

    def standardized(self) -> Masked:
        """Both sides in standard deviations from the mean of the original column, so that columns count alike."""
        centre, spread = moments(self.original, self.counts)[0], self.spread
        return Masked(self.columns, (self.original - centre) / spread, (self.published - centre) / spread, self.counts)

    def ranked(self) -> Masked:
        """Both sides as places among the original records, from 0 for the least to 1 for the largest.

        Equal numbers share the middle of their places; a published number that nobody had lies between its neighbours.
        """
        before, after = (np.empty_like(side) for side in (self.original, self.published))
        for place in range(len(self.columns)):
            column = self.original[:, place]
            before[:, place] = _places(column, self.counts, column)
            after[:, place] = _places(column, self.counts, self.published[:, place])
        return Masked(self.columns, before, after, self.counts)


def distinct(rows: Floats, counts: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    """Every row that differs from the others once, and how many records each stands for.

    >>> rows, counts = distinct(np.array([[2.0], [1.0], [2.0]]), np.array([1, 1, 5]))
    >>> rows.ravel().tolist(), counts.tolist()
    ([1.0, 2.0], [1, 6])
    """
    found, which = np.unique(rows, axis=0, return_inverse=True)
    return found, np.bincount(which.ravel(), counts, len(found)).astype(np.int64)


def _places(column: Floats, counts: NDArray[np.int64], numbers: Floats) -> Floats:
    """Which share of the records of a column lies below each number, half of those at it included."""
    order = np.argsort(column, kind="stable")
    running = np.concatenate([[0], np.cumsum(counts[order])])
    below, upto = (running[np.searchsorted(column[order], numbers, side=side)] for side in ("left", "right"))
    places: Floats = (below + upto) / (2 * running[-1])
    return places


def moments(values: Floats, counts: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The mean of every column and the covariances between columns, over all records.

    >>> moments(np.array([[1.0], [3.0]]), np.array([1, 1]))
    (array([2.]), array([[1.]]))
    """
    centre = counts @ values / counts.sum()
    apart = values - centre
    return centre, (apart * counts[:, None]).T @ apart / counts.sum()


def _published_numbers(candidate: Candidate, column: str) -> Floats | None:
    """What every published code of a column is as a number; None where the column publishes something vaguer."""
    found = candidate.published.domains[column]
    if not isinstance(found, Labels) or found.numbers is not None:
        return found.numbers
    return found.domain.numbers[found.lo] if found.exact and found.domain.numbers is not None else None


def _matrix(values: Any) -> Floats:
    matrix = np.array(values, dtype=np.float64)
    matrix = matrix[:, None] if matrix.ndim == 1 else matrix
    if matrix.ndim != 2 or np.nanmax(np.abs(matrix), initial=0.0) > _LARGEST:
        raise UsageError(
            f"numbers must come as a matrix of numbers up to {_LARGEST:g}, one row a record and NaN where missing."
        )
    return np.ascontiguousarray(matrix)


def _shape(matrix: Floats) -> str:
    return f"{matrix.shape[0]} rows of {matrix.shape[1]} columns"
