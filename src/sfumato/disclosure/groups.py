"""Groups (equivalence classes) of records that an attacker cannot distinguish. Models, metrics and attacks read them.

`Groups` has the size of every group and, for each column, a `Histogram` of its values in every group. If persons have
several records, both count persons: the size of a group is the number of its persons, and a value counts once for every
person who has it there. A person with several values counts for each of them, so the counts of a histogram may add up
to more than the size of the group; a person with records in several groups belongs to all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.kernels.arrays import Flags
from sfumato.runtime.representations import html_table
from sfumato.taxonomies.taxonomy import Taxonomy

Counts = NDArray[np.int64]
_SPARSE = 8
"""Adding up in an array of all possible keys is faster than sorting up to this many keys for every row."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """The counts of the values of one column in each group, as a sparse matrix without zeros.

    The cells of group g are `values[starts[g]:starts[g + 1]]` in ascending order with their `counts`; no group is
    empty. `sizes` are the sizes of the groups and `totals` the sums of their counts, which differ if persons have
    several values (`by_person`). `whole[code]` is the count of a value in the whole table.
    """

    starts: Counts
    values: NDArray[np.int32]
    counts: Counts
    sizes: Counts
    whole: Counts
    taxonomy: Taxonomy | None = None
    by_person: bool = False

    @cached_property
    def group(self) -> NDArray[np.int64]:
        """The group of every cell."""
        return np.repeat(np.arange(len(self.sizes)), np.diff(self.starts))

    @cached_property
    def totals(self) -> Counts:
        """The sum of the counts of each group: the denominator of relative frequencies."""
        return self.sum(self.counts) if self.by_person else self.sizes

    @property
    def certain(self) -> Flags:
        """Whether all persons of a group share a value, so that the value is certain for each of them."""
        return self.largest() >= self.sizes if self.by_person else self.distinct == 1

    @property
    def distinct(self) -> Counts:
        """The number of different values of each group."""
        return np.diff(self.starts)

    def sum(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Add up the numbers of the cells of each group."""
        return np.add.reduceat(cells, self.starts[:-1]) if len(self.sizes) else cells[:0]

    def largest(self) -> Counts:
        """The count of the most frequent value of each group."""
        return np.maximum.reduceat(self.counts, self.starts[:-1]) if len(self.sizes) else self.counts[:0]

    @cached_property
    def descending(self) -> Counts:
        """The counts of every group from largest to smallest, group after group."""
        most = int(self.counts.max(initial=0))
        key = self.group * (most + 1) + (most - self.counts)  # one key sorts much faster than two
        key.sort()
        return most - key % (most + 1)

    def of_value(self, code: int) -> Counts:
        """The count of one value in each group."""
        found = np.zeros(len(self.sizes), dtype=np.int64)
        hit = self.values == code
        found[self.group[hit]] = self.counts[hit]
        return found

    def dense(self, start: int, stop: int) -> Counts:
        """The groups from `start` to `stop` as a matrix with one row for each group and one column for each value."""
        matrix = np.zeros((stop - start, len(self.whole)), dtype=np.int64)
        cells = slice(self.starts[start], self.starts[stop])
        matrix[self.group[cells] - start, self.values[cells]] = self.counts[cells]
        return matrix

    def of_known(self, domain: Domain) -> tuple[Histogram, Flags]:
        """The histogram without missing values, of the groups that have a known one; also which groups these are.

        `sizes` stay the sizes of the groups, or of records with a known value if every record has one value.

        >>> from sfumato.datasets import hospital
        >>> histogram = Groups.of(hospital(), ["Sex"]).histogram("Disease")
        >>> histogram.of_known(hospital().domain("Disease"))[0] is histogram
        True
        """
        if not domain.has_missing or not (self.values == domain.present).any():
            return self, np.ones(len(self.sizes), dtype=bool)
        kept = self.values != domain.present
        often = np.bincount(self.group[kept], minlength=len(self.sizes))
        known = often > 0
        starts = np.concatenate([[0], np.cumsum(often[known])])
        whole = self.whole.copy()
        whole[domain.present] = 0
        sizes = self.sizes if self.by_person else self.sizes - self.of_value(domain.present)
        made = Histogram(
            starts, self.values[kept], self.counts[kept], sizes[known], whole, self.taxonomy, self.by_person
        )
        return made, known

    @classmethod
    def of_matrix(cls, matrix: Counts, whole: Counts, taxonomy: Taxonomy | None = None) -> Histogram:
        """A histogram from a matrix of counts with one row for each group."""
        group, values = np.nonzero(matrix)
        starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=len(matrix)))])
        return cls(starts, values.astype(np.int32), matrix[group, values], matrix.sum(axis=1), whole, taxonomy)


@dataclass(frozen=True, eq=False, repr=False)
class Groups:
    """A partition of a table's records, or any collection of candidate groups judged against the same table.

    >>> from sfumato.datasets import hospital
    >>> groups = Groups.of(hospital(), ["Job", "Sex"])
    >>> groups.sizes.tolist(), groups.histogram("Disease").distinct.tolist()
    ([2, 1, 2, 2], [1, 1, 1, 2])
    """

    schema: Schema
    sizes: Counts
    table: Table
    labels: NDArray[np.int32] | None = None
    _matrices: Mapping[str, Counts] = field(default_factory=dict)
    _known: dict[str, Histogram] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"<Groups: {len(self):,} of at least {self.sizes.min(initial=self.records):,} {self.unit}>"

    def _repr_html_(self) -> str:
        """The number of groups and their sizes, for notebooks."""
        if not len(self):
            return html_table("Groups", [("groups", "0")])
        sizes = (
            ("smallest", self.sizes.min()),
            ("median", np.median(self.sizes)),
            ("largest", self.sizes.max()),
            ("all", self.records),
        )
        rows = [("groups", f"{len(self):,}"), *((name, f"{size:,.10g} {self.unit}") for name, size in sizes)]
        return html_table("Groups", rows)

    @property
    def records(self) -> int:
        """The sum of the sizes of all groups."""
        return int(self.sizes.sum())

    @classmethod
    def of(cls, table: Table, columns: Sequence[str]) -> Groups:
        """Group the rows of a table that agree on all the given columns."""
        return cls.of_labels(table, table.group_numbers(columns))

    @classmethod
    def of_labels(cls, table: Table, labels: NDArray[np.int32]) -> Groups:
        """Groups given by a label for every row of the table; labels run from 0 without gaps."""
        how_many = int(labels.max()) + 1 if len(labels) else 0
        if table.repeats_persons:
            sizes = np.bincount(_with_persons(labels, table)[0], minlength=how_many)
        else:
            sizes = np.bincount(labels, weights=table.counts, minlength=how_many).astype(np.int64)
        return cls(table.schema, sizes, table, labels)

    @property
    def unit(self) -> Literal["records", "persons"]:
        """What sizes and counts refer to; groups that are given by matrices always count records."""
        return "persons" if self.labels is not None and self.table.person is not None else "records"

    @classmethod
    def of_matrices(cls, table: Table, sizes: Counts, matrices: Mapping[str, Counts]) -> Groups:
        """Candidate groups given by their sizes and one matrix of value counts for each column that a model reads."""
        return cls(table.schema, sizes, table, None, matrices)

    @classmethod
    def of_histograms(cls, table: Table, sizes: Counts, histograms: Mapping[str, Histogram]) -> Groups:
        """Candidate groups given by their sizes and the histogram of each column that a model reads."""
        return cls(table.schema, sizes, table, None, {}, dict(histograms))

    @classmethod
    def of_sizes(cls, schema: Schema, sizes: Counts) -> Groups:
        """Groups of which only the sizes are known; they may overlap. Models that read histograms cannot judge them."""
        return cls.of_matrices(Table(schema, {}, sizes[:0], {}), sizes, {})

    def of_records(self) -> Groups:
        """The same groups, counting records even if persons have several."""
        if self.labels is None or not self.table.repeats_persons:
            return self
        return Groups.of_labels(self.table.without_persons(), self.labels)

    def domain(self, column: str) -> Domain:
        """The domain of a column: the values of the codes of its histogram."""
        return self.table.domain(column)

    def whole(self, column: str) -> Counts:
        """The count of each value of a column in the whole table."""
        if self.labels is None or not self.table.repeats_persons:
            return self.table.histogram(column)
        return np.bincount(_with_persons(self.table.codes[column], self.table)[0], minlength=len(self.domain(column)))

    def histogram(self, column: str) -> Histogram:
        """The count of each value of a column in each group; computed once."""
        if column not in self._known:
            self._known[column] = self._count(column)
        return self._known[column]

    def _count(self, column: str) -> Histogram:
        whole = self.whole(column)
        taxonomy = self.table.taxonomies.get(column)
        if self.labels is None:
            return Histogram.of_matrix(self._matrices[column], whole, taxonomy)
        key = self.labels.astype(np.int64) * len(whole) + self.table.codes[column]
        weights = self.table.counts
        if self.table.repeats_persons:
            key, weights = _with_persons(key, self.table)
        # Group and value as one key: sorted keys are the cells of the histogram in their order.
        cells, counts = _added_up(key, weights, len(self) * len(whole))
        group = cells // max(len(whole), 1)
        starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=len(self)))])
        values = (cells % max(len(whole), 1)).astype(np.int32)
        return Histogram(starts, values, counts, self.sizes, whole, taxonomy, self.table.repeats_persons)


def _with_persons(key: NDArray[np.integer], table: Table) -> tuple[Counts, Counts]:
    """Each key once for every person who has a row with it, each with a weight of 1."""
    # Renumbered first, so that the product with the number of persons cannot overflow.
    known, number = np.unique(key, return_inverse=True)
    radix = len(table.domains[table.schema.person])
    pairs = np.unique(number.astype(np.int64) * radix + table.codes[table.schema.person])
    return known[pairs // radix].astype(np.int64), np.ones(len(pairs), dtype=np.int64)


def _added_up(key: Counts, counts: Counts, span: int) -> tuple[Counts, Counts]:
    """The sorted distinct keys and the sum of the counts of each; without sorting if few keys are possible."""
    if span <= _SPARSE * len(key):
        found = np.bincount(key, weights=counts, minlength=span)
        cells = np.flatnonzero(found)
        return cells, found[cells].astype(np.int64)
    cells, index = np.unique(key, return_inverse=True)
    return cells, np.bincount(index, weights=counts, minlength=len(cells)).astype(np.int64)
