"""Table: distinct coded rows with counts, and the only door to frames and files.

Nothing below this file ever walks raw records: an engine counts how often each combination of values occurs, the table
holds those combinations as small integers, and whatever is decided on them is applied to every record by the engine.
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
from sfumato.data.labels import Labels
from sfumato.data.row_keys import Packing
from sfumato.data.schema import Column, Role, Schema
from sfumato.engines.base import Counted, Encoding, Engine
from sfumato.errors import DataError, SchemaError, TaxonomyError
from sfumato.taxonomies.base import TaxonomyBuilder
from sfumato.taxonomies.taxonomy import Taxonomy

Codes = NDArray[np.int32]
_MANY = 200_000
_YES, _NO = {"1", "true", "yes", "y", "t"}, {"0", "false", "no", "n", "f"}


@dataclass(frozen=True, eq=False)
class Table(Data):
    """The judged columns of a data set as distinct rows of codes, and how many records each row stands for.

    `codes[column]` is one int32 array a column, `counts` the records a row stands for, `domains[column]` what the codes
    mean, `taxonomies[column]` how they grow vaguer. `source` is the engine that can go over the raw records again, and
    `encodings[column]` how its written values become codes.

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

    @cached_property
    def records(self) -> int:
        """How many records the rows stand for."""
        return int(self.counts.sum())

    @property
    def person(self) -> Codes | None:
        """The person of every row, as codes; None where no column is the person's key."""
        return self.codes.get(self.schema.person)

    @cached_property
    def persons(self) -> int:
        """How many persons the records are about; records with a missing key count as one person.

        That is on the safe side: nobody is protected by a person who may not exist.
        """
        return self.records if self.person is None else len(np.unique(self.person))

    @property
    def repeats_persons(self) -> bool:
        """Whether some person has several records, so that counting persons and counting records differ."""
        return self.persons < self.records

    @classmethod
    def from_frame(cls, frame: Any, schema: Schema) -> Table:
        """Count the distinct rows of a pandas, polars or pyarrow frame, or anything with `__arrow_c_stream__`."""
        from sfumato.engines.opening import open_frame

        return cls.from_source(open_frame(frame), schema)

    @classmethod
    def read(cls, path: str | Path, schema: Schema) -> Table:
        """Count the distinct rows of a CSV or Parquet file, without holding the file in memory."""
        from sfumato.engines.opening import open_file

        return cls.from_source(open_file(path), schema)

    @classmethod
    def from_source(cls, source: Engine, schema: Schema) -> Table:
        """Count the distinct rows behind an engine and order every column by size or by its taxonomy.

        The index of a frame that pandas stored in a file is left out unless the schema names it: it numbers records in
        the order of the original.
        """
        schema.check_against(source.columns)
        named = {column.name for column in schema.columns}
        source = source.without([name for name in source.index_columns if name not in named])
        if not schema.named(Role.QUASI, Role.SENSITIVE, Role.TARGET):
            raise SchemaError("no column is quasi-identifying, sensitive or target; there is nothing to protect.")
        return cls.of_counted(source.count(schema.judged), schema, source)

    @classmethod
    def of_counted(cls, counted: Counted, schema: Schema, source: Engine | None = None) -> Table:
        """The table of distinct rows that were counted already, over the engine that counted them."""
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
        """A table from plain Python columns of texts, for small examples; it has no source to publish from."""
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
        """Order every column by size or by its taxonomy, and number its values in that order."""
        domains: dict[str, Domain | Labels] = {}
        taxonomies: dict[str, Taxonomy] = {}
        encodings: dict[str, Encoding] = {}
        for name in schema.judged:
            column = schema.column(name)
            kind = column.kind or (source.kind(name) if source is not None else None)
            domain, codes = Domain.of(name, raw[name].raw, kind=kind, missing=schema.missing)
            if column.taxonomy is not None:
                taxonomies[name], order = _grown(column, column.taxonomy, domain)
                domain = taxonomies[name].domain
                codes = np.argsort(order).astype(np.int32)[codes]
            domains[name], encodings[name] = domain, Encoding(raw[name].raw, codes)
        codes_of = {name: look_up(encodings[name].codes, raw[name].codes) for name in schema.judged}
        return cls(schema, _frozen(codes_of), counts, domains, taxonomies, source, encodings)

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """The counts, for loops that need not read them where every row is one record: then there are none."""
        return self.counts[:0] if len(self.counts) == self.records else self.counts

    @cached_property
    def waived(self) -> NDArray[np.bool_]:
        """Whether the people of each row waive protection; a missing answer does not."""
        if not self.schema.waiver:
            return np.zeros(len(self), dtype=bool)
        return _waives(self.domain(self.schema.waiver))[self.codes[self.schema.waiver]]

    def histogram(self, column: str) -> NDArray[np.int64]:
        """How many records have each value of a column."""
        found = self._counted.get(column)
        if found is None:
            weights = np.bincount(self.codes[column], weights=self.counts, minlength=len(self.domains[column]))
            found = self._counted[column] = weights.astype(np.int64)
        return found

    def group_numbers(self, columns: Sequence[str]) -> Codes:
        """A number for every row such that rows with the same number agree on all these columns."""
        if not columns:
            return np.zeros(len(self), dtype=np.int32)
        radices = [len(self.domains[name]) for name in columns]
        return Packing.of([self.codes[name] for name in columns], radices)[1]

    def distinct(self, columns: Sequence[str]) -> tuple[Table, Codes]:
        """The distinct rows of only these columns, in order of their codes; also which of them every row became."""
        labels = self.group_numbers(columns)
        first = np.empty(int(labels.max()) + 1 if len(labels) else 0, dtype=np.int64)
        first[labels] = np.arange(len(labels))
        counts = np.bincount(labels, weights=self.counts, minlength=len(first)).astype(np.int64)
        codes = {name: self.codes[name][first] for name in columns}
        return replace(self, codes=_frozen(codes), counts=counts), labels

    def with_column(self, name: str, codes: Codes, domain: Domain) -> Table:
        """The same rows with one more coded column, which no role names and nothing publishes."""
        return replace(self, codes=_frozen({**self.codes, name: codes}), domains={**self.domains, name: domain})

    def with_persons(self, name: str, codes: Codes, domain: Domain) -> Table:
        """The same rows with the key of the person that each is about, so that promises count persons."""
        schema = replace(self.schema, columns=(*self.schema.columns, Column(name=name, role=Role.PERSON)))
        return replace(self.with_column(name, codes, domain), schema=schema)

    def without_persons(self) -> Table:
        """The same rows without the person's key, so that records are counted."""
        codes = {name: column for name, column in self.codes.items() if name != self.schema.person}
        return replace(self, codes=MappingProxyType(codes))

    def rows_where(self, keep: NDArray[np.bool_]) -> Table:
        """The table of only some of the rows."""
        codes = {name: column[keep] for name, column in self.codes.items()}
        return replace(self, codes=_frozen(codes), counts=self.counts[keep])

    def rows_at(self, rows: NDArray[np.int64], counts: NDArray[np.int64] | None = None) -> Table:
        """The table of the given rows, in that order, with other counts where given."""
        codes = {name: column[rows] for name, column in self.codes.items()}
        return replace(self, codes=_frozen(codes), counts=self.counts[rows] if counts is None else counts)

    def domain(self, column: str) -> Domain:
        """What the codes of an original column mean."""
        found = self.domains[column]
        return found.domain if isinstance(found, Labels) else found

    def _merged(self) -> Table:
        """The distinct rows in order of their codes, whatever order they were counted in.

        Rows that became equal when raw values were read (`007` and `7`) are one row.
        """
        return self.distinct(tuple(self.codes))[0]

    @cached_property
    def _counted(self) -> dict[str, NDArray[np.int64]]:
        return {}


def _grown(column: Column, builder: TaxonomyBuilder, domain: Domain) -> tuple[Taxonomy, NDArray[np.int64]]:
    """The column's taxonomy; what does not fit is listed for quasi columns only, since other values are nobody's."""
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


def _waives(domain: Domain) -> NDArray[np.bool_]:
    """Whether each value of a waiver column is a yes."""
    said = [(text or "").strip().lower() for text in domain.texts[: domain.present]]
    strange = sum(text not in _YES | _NO for text in said)
    if strange:
        raise DataError(
            f"column {domain.column!r} is to say who waives protection, but {strange} of its distinct values are "
            f"neither a yes ({', '.join(sorted(_YES))}) nor a no ({', '.join(sorted(_NO))})."
        )
    return np.array([text in _YES for text in said] + [False] * domain.has_missing, dtype=bool)


def look_up(codes: Codes, places: Codes) -> Codes:
    """The code at every place; for many rows by a loop that is only worth loading for those."""
    if len(places) < _MANY:
        return codes[places]
    from sfumato.kernels.gather import gather

    return gather(codes, places)


def _frozen(codes: Mapping[str, Codes]) -> Mapping[str, Codes]:
    return MappingProxyType({name: np.ascontiguousarray(column, dtype=np.int32) for name, column in codes.items()})
