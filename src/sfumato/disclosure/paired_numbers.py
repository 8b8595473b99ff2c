"""The numbers of the same records before and after they were published, row beside row.

Metrics that compare numbers and attacks that link records by their numbers read them. A candidate, a release and a view
make them from their quasi columns (`numbers`); `engines.frames.paired_sources` makes them from two frames or files.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain, position
from sfumato.data.kinds import Kind
from sfumato.data.labels import Labels
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.disclosure.table_view import TableView
from sfumato.errors import UsageError
from sfumato.taxonomies.taxonomy import ROOT

Floats = NDArray[np.float64]
_LARGEST = 1e150
"""Squares of larger numbers exceed the range of floats."""
_CONSTANT = 1e-12
"""A column whose spread is this small beside its largest value differs by rounding alone."""


@dataclass(frozen=True, eq=False, repr=False)
class PairedNumbers:
    """Original and published numbers, one column each, in the same order of rows.

    `counts[i]` is how many records row i of both stands for. A missing number is NaN. Whatever compares records pair by
    pair leaves out those that miss a number on either side: it reads `complete`, and `incomplete` is how many are left
    out. Two matrices are a release too, of numbers alone: metrics of numbers measure them, and attacks on numbers run
    on them.

    >>> pair = PairedNumbers.of_arrays([[1.0], [3.0], [np.nan]], [[2.0], [2.0], [2.0]], columns=["age"])
    >>> pair.people, pair.incomplete, pair.complete.spread.tolist()
    (2, 1, [1.0])
    """

    columns: tuple[str, ...]
    original: Floats
    published: Floats
    counts: NDArray[np.int64]

    def __repr__(self) -> str:
        return f"<PairedNumbers: {len(self.columns)} columns of {int(self.counts.sum()):,} records>"

    @classmethod
    def of_arrays(
        cls, original: Any, published: Any, *, columns: Sequence[str] | None = None, counts: Any = None
    ) -> PairedNumbers:
        """From two matrices of the same shape, one row a record; a plain list of numbers is one column."""
        before, after = _matrix(original), _matrix(published)
        if before.shape != after.shape:
            raise UsageError(
                f"the numbers before and after masking must pair up; got {_shape(before)} and {_shape(after)}."
            )
        names = tuple(columns) if columns is not None else tuple(f"x{place + 1}" for place in range(before.shape[1]))
        times = np.ones(len(before), dtype=np.int64) if counts is None else np.asarray(counts, dtype=np.int64)
        if len(names) != before.shape[1] or times.shape != (len(before),) or (times < 1).any():
            raise UsageError(
                f"{_shape(before)} need a name for every column and a count of at least 1 for every row; "
                f"got {len(names)} names and {times.size} counts."
            )
        return cls(names, before, after, times)

    @classmethod
    def of_tables(cls, original: Table, published: Table, linkage: Linkage) -> PairedNumbers:
        """The quasi columns that are numbers, or days, in both tables, whose rows pair up.

        Where links between columns are cut there are none: no published row is one record's.
        """
        found: dict[str, tuple[Floats, Floats]] = {}
        for name in () if linkage.cut else published.schema.quasi:
            domain = original.domain(name)
            after = _published_numbers(published.domains[name], domain.kind)
            if domain.numbers is not None and after is not None:
                found[name] = domain.numbers[original.codes[name]], after[published.codes[name]]
        none = np.zeros((len(published), 0))
        before, after = (np.column_stack([none, *(pair[side] for pair in found.values())]) for side in (0, 1))
        return cls(tuple(found), before, after, published.counts)

    @property
    def numbers(self) -> PairedNumbers:
        """These numbers themselves, where a metric asks a release for them."""
        return self

    @property
    def view(self) -> TableView:
        """What an attacker sees: numbers, and no sensitive column."""
        rows = Table(Schema.of(quasi=self.columns), {}, self.counts, {})
        return _NumbersView(table=rows, given=self)

    @property
    def people(self) -> int:
        """How many records have every number on both sides."""
        return int(self.complete.counts.sum())

    @property
    def incomplete(self) -> int:
        """How many records miss a number on one side or the other."""
        return int(self.counts.sum()) - self.people

    @property
    def changed(self) -> bool:
        """Whether any number is published as another one."""
        return not np.array_equal(self.original, self.published, equal_nan=True)

    @cached_property
    def complete(self) -> PairedNumbers:
        """Only the rows that have every number on both sides."""
        gone = np.isnan(self.original).any(axis=1) | np.isnan(self.published).any(axis=1)
        if not gone.any():
            return self
        kept = ~gone
        return PairedNumbers(self.columns, self.original[kept], self.published[kept], self.counts[kept])

    @cached_property
    def spread(self) -> Floats:
        """The standard deviation of every original column; 1 for one that is the same everywhere."""
        deviation = np.sqrt(np.diagonal(moments(self.original, self.counts)[1]))
        largest = np.abs(self.original).max(axis=0, initial=0.0)
        return np.where(deviation > _CONSTANT * largest, deviation, 1.0)

    def standardized(self) -> PairedNumbers:
        """Both sides in standard deviations from the mean of the original column, so that columns count alike."""
        centre, spread = moments(self.original, self.counts)[0], self.spread
        before, after = ((side - centre) / spread for side in (self.original, self.published))
        return PairedNumbers(self.columns, before, after, self.counts)

    def ranked(self) -> PairedNumbers:
        """Both sides as places among the original records, from 0 for the least to 1 for the largest.

        Equal numbers share the middle of their places; a published number that nobody had lies between its neighbours.
        """
        before, after = (np.empty_like(side) for side in (self.original, self.published))
        for place in range(len(self.columns)):
            column = self.original[:, place]
            before[:, place] = _places(column, self.counts, column)
            after[:, place] = _places(column, self.counts, self.published[:, place])
        return PairedNumbers(self.columns, before, after, self.counts)


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


def _published_numbers(found: Domain | Labels, kind: Kind) -> Floats | None:
    """The number that each published code stands for; None where a column publishes something else than numbers.

    A release that is read back publishes texts: they are numbers, or days, if every one of them is written as one of
    the original kind. A suppressed value counts as missing.
    """
    if isinstance(found, Labels):
        if found.numbers is not None:
            return found.numbers
        return found.domain.numbers[found.lo] if found.exact and found.domain.numbers is not None else None
    if kind is Kind.TEXT or found.kind is kind:
        return found.numbers
    numbers = np.full(len(found), np.nan)
    for code, text in enumerate(found.texts[: found.present]):
        if text != ROOT:
            place = _position(text or "", kind)
            if place is None:
                return None
            numbers[code] = place
    return None if np.isnan(numbers).all() else numbers


def _position(text: str, kind: Kind) -> float | None:
    """As `domain.position`, for numbers of any length: somebody else's release may write more digits than are kept."""
    if kind is not Kind.NUMBER:
        return position(text, kind)
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


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


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class _NumbersView(TableView):
    """The view of nothing but numbers; its table has counts and no values."""

    given: PairedNumbers

    @property
    def truth_known(self) -> bool:
        """The original numbers stand beside the published ones."""
        return True

    @property
    def numbers(self) -> PairedNumbers:
        """The numbers that were given."""
        return self.given


def __getattr__(name: str) -> Any:
    """The class by its earlier name."""
    if name != "Masked":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn("Masked is called PairedNumbers now.", DeprecationWarning, stacklevel=2)
    return PairedNumbers
