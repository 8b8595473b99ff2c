"""Tables: the distinct rows of a data set as integer codes, with the number of records of each row.

An engine reads files and frames and counts how often each combination of values occurs; the table holds these
combinations as codes. Models, algorithms and metrics work on tables and never read raw records. The engine applies the
resulting recoding to every record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.data.base import Data
from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.labels import Labels
from sfumato.data.row_keys import Packing
from sfumato.data.schema import Column, Role, Schema
from sfumato.engines.base import Counted, Encoding, Engine
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.errors import DataError, SchemaError, TaxonomyError
from sfumato.kernels.arrays import Flags
from sfumato.runtime.representations import html_table
from sfumato.taxonomies.base import TaxonomyBuilder
from sfumato.taxonomies.taxonomy import Taxonomy

Codes = NDArray[np.int32]
_MANY = 200_000
"""Rows from which a compiled loop is faster than numpy, including the time to load it."""
_YES, _NO = {"1", "true", "yes", "y", "t"}, {"0", "false", "no", "n", "f"}


@dataclass(frozen=True, eq=False, repr=False)
class Table(Data):
    """The judged columns of a data set as distinct rows of codes, with the number of records of each row.

    `codes[column]` has the code of every row, `counts` its number of records, `domains[column]` the values of the
    codes, and `taxonomies[column]` the generalization hierarchy. `source` is the engine over the raw records, and
    `encodings[column]` maps its written values to codes.

    >>> from sfumato.datasets import hospital
    >>> table = hospital()
    >>> len(table), table.records, table.domains["Sex"].texts
    (6, 7, ('Male', 'Female'))
    """

    kind: ClassVar[str] = "table"

    schema: Schema
    codes: Mapping[str, Codes]
    counts: NDArray[np.int64]
    domains: Mapping[str, Domain | Labels]
    taxonomies: Mapping[str, Taxonomy] = field(default_factory=dict)
    source: Engine | None = None
    encodings: Mapping[str, Encoding] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.counts)

    def _repr_html_(self) -> str:
        """Roles and numbers of different values of all columns, for notebooks."""
        rows = [
            (name, str(self.schema.role(name)), f"{len(self.domain(name)):,}", str(self.domain(name).kind))
            for name in self.codes
        ]
        caption = f"{self!r}"[1:-1] + f" in {len(self):,} distinct rows"
        return html_table(caption, rows, ("column", "role", "different values", "kind"))

    @cached_property
    def records(self) -> int:
        """The number of records that all rows stand for."""
        return int(self.counts.sum())

    @property
    def person(self) -> Codes | None:
        """The code of every row's person; None if no column is a person key."""
        return self.codes.get(self.schema.person)

    @cached_property
    def persons(self) -> int:
        """The number of persons that the records are about; all records with a missing key count as one person.

        Counting them as several persons could make a group look larger than it is.
        """
        return self.records if self.person is None else len(np.unique(self.person))

    @classmethod
    def from_frame(cls, frame: Any, schema: Schema) -> Table:
        """Count the distinct rows of a pandas, polars or pyarrow frame, or anything with `__arrow_c_stream__`."""
        from sfumato.engines.opening import open_frame

        return cls.from_source(open_frame(frame), schema)

    @classmethod
    def read(cls, path: str | Path, schema: Schema, options: ReadOptions = DETECTED) -> Table:
        """Count the distinct rows of a file, without holding a CSV or Parquet file in memory."""
        from sfumato.engines.opening import open_file

        return cls.from_source(open_file(path, options), schema)

    @classmethod
    def from_source(cls, source: Engine, schema: Schema) -> Table:
        """Count the distinct rows of an engine, and code every column in order of size or of its taxonomy.

        A pandas index that is stored in a file is dropped unless the schema lists it, because it discloses the order of
        the original records.
        """
        schema.check_against(source.columns)
        named = {column.name for column in schema.columns}
        source = source.without([name for name in source.index_columns if name not in named])
        if not schema.named(Role.QUASI, Role.SENSITIVE, Role.TARGET):
            raise SchemaError(
                "no column is quasi-identifying, sensitive or target, so there is nothing to protect; give the role "
                '"quasi" to columns that others may know of a person, and "sensitive" to what nobody must learn.'
            )
        return cls.of_counted(source.count(schema.judged), schema, source)

    @classmethod
    def of_counted(cls, counted: Counted, schema: Schema, source: Engine | None = None) -> Table:
        """A table from rows that an engine has counted; equal rows are merged unless they are `uncounted`."""
        if not len(counted.counts):
            raise DataError(f"{source.described if source is not None else 'the table'} holds no records.")
        raw = {
            name: Encoding(counted.raw[name], counted.codes[name].astype(np.int32, copy=False))
            for name in schema.judged
        }
        table = cls._of_columns(schema, raw, counted.counts, source)
        return table if counted.uncounted else table._merged()

    @classmethod
    def of_rows(cls, schema: Schema, rows: Mapping[str, Sequence[str | None]]) -> Table:
        """A table from Python lists of texts, for small examples; it has no source, so no records can be written."""
        raw = {}
        for name in schema.judged:
            distinct = list(dict.fromkeys(rows[name]))
            place = {value: index for index, value in enumerate(distinct)}
            raw[name] = Encoding(distinct, np.array([place[value] for value in rows[name]], dtype=np.int32))
        records = len(next(iter(raw.values())).codes) if raw else 0
        return cls._of_columns(schema, raw, np.ones(records, dtype=np.int64), None)._merged()

    @classmethod
    def _of_columns(
        cls, schema: Schema, raw: Mapping[str, Encoding], counts: NDArray[np.int64], source: Engine | None
    ) -> Table:
        """Code every column: values are ordered by size or by the taxonomy and numbered in that order."""
        domains: dict[str, Domain | Labels] = {}
        taxonomies: dict[str, Taxonomy] = {}
        encodings: dict[str, Encoding] = {}
        for name in schema.judged:
            column = schema.column(name)
            stored = None if column.kind or source is None else source.kind(name)
            domain, codes = Domain.of(
                name,
                raw[name].raw,
                kind=column.kind,
                stored=stored,
                missing=schema.missing,
                notation=column.notation,
            )
            if column.taxonomy is not None:
                taxonomies[name], order = _taxonomy_of(column, column.taxonomy, domain)
                domain = taxonomies[name].domain
                codes = np.argsort(order).astype(np.int32)[codes]
            domains[name], encodings[name] = domain, Encoding(raw[name].raw, codes)
        codes_of = {name: look_up(encodings[name].codes, raw[name].codes) for name in schema.judged}
        return cls(schema, _frozen(codes_of), counts, domains, taxonomies, source, encodings)

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """The counts for compiled loops; empty if every row is one record, so that loops need not read them."""
        return self.counts[:0] if len(self.counts) == self.records else self.counts

    @cached_property
    def waived(self) -> Flags:
        """Whether the persons of each row waive protection; a missing value means that they do not."""
        if not self.schema.waiver:
            return np.zeros(len(self), dtype=bool)
        return _waives(self.domain(self.schema.waiver))[self.codes[self.schema.waiver]]

    def histogram(self, column: str) -> NDArray[np.int64]:
        """The number of records with each value of a column."""
        found = self._counted.get(column)
        if found is None:
            weights = np.bincount(self.codes[column], weights=self.counts, minlength=len(self.domains[column]))
            found = self._counted[column] = weights.astype(np.int64)
        return found

    def group_numbers(self, columns: Sequence[str]) -> Codes:
        """The group of every row: rows have the same number exactly if they agree on all the given columns."""
        if not columns:
            return np.zeros(len(self), dtype=np.int32)
        radices = [len(self.domains[name]) for name in columns]
        return Packing.of([self.codes[name] for name in columns], radices)[1]

    def distinct(self, columns: Sequence[str]) -> tuple[Table, Codes]:
        """The table of the distinct rows of the given columns, in order of codes; also the new row of every old row."""
        labels = self.group_numbers(columns)
        first = np.empty(int(labels.max()) + 1 if len(labels) else 0, dtype=np.int64)
        first[labels] = np.arange(len(labels))
        counts = np.bincount(labels, weights=self.counts, minlength=len(first)).astype(np.int64)
        codes = {name: self.codes[name][first] for name in columns}
        return replace(self, codes=_frozen(codes), counts=counts), labels

    def with_column(self, name: str, codes: Codes, domain: Domain) -> Table:
        """The same rows with one more coded column, which has no role and is not published."""
        return replace(self, codes=_frozen({**self.codes, name: codes}), domains={**self.domains, name: domain})

    def with_persons(self, name: str, codes: Codes, domain: Domain) -> Table:
        """The same rows with a person key, so that models count persons."""
        schema = replace(self.schema, columns=(*self.schema.columns, Column(name=name, role=Role.PERSON)))
        return replace(self.with_column(name, codes, domain), schema=schema)

    def without_persons(self) -> Table:
        """The same rows without the person key, so that models count records."""
        codes = {name: column for name, column in self.codes.items() if name != self.schema.person}
        return replace(self, codes=MappingProxyType(codes))

    def rows_where(self, keep: Flags) -> Table:
        """The table of the marked rows."""
        codes = {name: column[keep] for name, column in self.codes.items()}
        return replace(self, codes=_frozen(codes), counts=self.counts[keep])

    def rows_at(self, rows: NDArray[np.int64], counts: NDArray[np.int64] | None = None) -> Table:
        """The table of the given rows in that order, with the given counts or their own."""
        codes = {name: column[rows] for name, column in self.codes.items()}
        return replace(self, codes=_frozen(codes), counts=self.counts[rows] if counts is None else counts)

    def domain(self, column: str) -> Domain:
        """The domain of original values of a column, also if the column is published under labels."""
        found = self.domains[column]
        return found.domain if isinstance(found, Labels) else found

    def with_numbers_as_categories(self) -> Table:
        """The same rows, in which quasi columns of numbers and dates that have a taxonomy count as categories.

        Searches then charge a group for nodes of the taxonomy, as they are published, and not for ranges.
        """
        domains = dict(self.domains)
        for name in self.schema.quasi:
            if name in self.taxonomies:
                domains[name] = replace(self.domain(name), kind=Kind.TEXT, numbers=None, notation=None)
        return replace(self, domains=domains)

    def _merged(self) -> Table:
        """The distinct rows in order of their codes, independent of the order in which they were counted.

        Rows whose raw values have the same meaning (`007` and `7`) become one row.
        """
        return self.distinct(tuple(self.codes))[0]

    @cached_property
    def _counted(self) -> dict[str, NDArray[np.int64]]:
        """Histograms that were computed before."""
        return {}


def _taxonomy_of(column: Column, builder: TaxonomyBuilder, domain: Domain) -> tuple[Taxonomy, NDArray[np.int64]]:
    """The column's taxonomy and the order of its values.

    Error messages show values that do not fit for quasi columns only, because other values must not be disclosed.
    """
    try:
        return builder.grow(domain)
    except TaxonomyError:
        if column.role is Role.QUASI:
            raise
        reason = TaxonomyError(
            f"the taxonomy of {column.name!r} does not fit its values, which are not shown because the column is "
            f"{column.role}; compare the taxonomy with the column's distinct values."
        )
    raise reason


def _waives(domain: Domain) -> Flags:
    """Whether each value of a waiver column means yes."""
    answers = [(text or "").strip().lower() for text in domain.texts[: domain.present]]
    unclear = sum(text not in _YES | _NO for text in answers)
    if unclear:
        raise DataError(
            f"column {domain.column!r} must say who waives protection, but {unclear} of its distinct values are "
            f"neither a yes ({', '.join(sorted(_YES))}) nor a no ({', '.join(sorted(_NO))})."
        )
    return np.array([text in _YES for text in answers] + [False] * domain.has_missing, dtype=bool)


def look_up(codes: Codes, places: Codes) -> Codes:
    """The elements of `codes` at the given indices; for many rows by a compiled loop."""
    if len(places) < _MANY:
        return codes[places]
    from sfumato.kernels.gather import gather

    return gather(codes, places)


def _frozen(codes: Mapping[str, Codes]) -> Mapping[str, Codes]:
    return MappingProxyType({name: np.ascontiguousarray(column, dtype=np.int32) for name, column in codes.items()})
