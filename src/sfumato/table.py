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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import Domain
from sfumato.engines.base import Engine
from sfumato.errors import DataError, SchemaError
from sfumato.labels import Labels
from sfumato.packing import Packing
from sfumato.schema import Schema
from sfumato.taxonomies.taxonomy import Taxonomy

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Table:
    """The judged columns of a data set as distinct rows of codes, and how many records each row stands for.

    `codes[column]` is one int32 array a column, `counts` the records a row stands for, `domains[column]` what the codes
    mean, `taxonomies[column]` how they grow vaguer. `source` is the engine that can go over the raw records again, and
    `recodes[column]` takes its raw value numbers to codes.

    >>> from sfumato.datasets import hospital
    >>> table = hospital()
    >>> len(table), table.records, table.domains["Sex"].texts
    (6, 7, ('Female', 'Male'))
    """

    schema: Schema
    codes: Mapping[str, Codes]
    counts: NDArray[np.int64]
    domains: Mapping[str, Domain | Labels]
    taxonomies: Mapping[str, Taxonomy] = field(default_factory=dict)
    source: Engine | None = None
    recodes: Mapping[str, Codes] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def records(self) -> int:
        """How many records the rows stand for."""
        return int(self.counts.sum())

    @classmethod
    def from_frame(cls, frame: Any, schema: Schema) -> Table:
        """Count the distinct rows of a pandas, polars or pyarrow frame, or anything with `__arrow_c_stream__`."""
        from sfumato.engines.duckdb import DuckdbEngine

        return cls.from_source(DuckdbEngine.over_frame(frame), schema)

    @classmethod
    def read(cls, path: str | Path, schema: Schema) -> Table:
        """Count the distinct rows of a CSV or Parquet file, without holding the file in memory."""
        from sfumato.engines.duckdb import DuckdbEngine

        return cls.from_source(DuckdbEngine.over_file(path), schema)

    @classmethod
    def from_source(cls, source: Engine, schema: Schema) -> Table:
        """Count the distinct rows behind an engine and order every column by size or by its taxonomy."""
        schema.check_against(source.columns)
        if not schema.judged:
            raise SchemaError("no column is quasi-identifying, sensitive or target; there is nothing to protect.")
        counted = source.count(schema.judged)
        if not len(counted.counts):
            raise DataError(f"{source.described} holds no records.")
        domains: dict[str, Domain | Labels] = {}
        taxonomies: dict[str, Taxonomy] = {}
        recodes: dict[str, Codes] = {}
        for name in schema.judged:
            kind = schema.column(name).kind or source.kind(name)
            domain, recode = Domain.of(name, counted.raw[name], kind=kind, missing=schema.missing)
            builder = schema.column(name).taxonomy
            if builder is not None:
                taxonomies[name], order = builder.build(domain)
                domain = taxonomies[name].domain
                recode = np.argsort(order).astype(np.int32)[recode]
            domains[name], recodes[name] = domain, recode
        codes = {name: recodes[name][counted.codes[name]] for name in schema.judged}
        return cls(schema, _frozen(codes), counted.counts, domains, taxonomies, source, recodes)._merged()

    @classmethod
    def of_rows(cls, schema: Schema, rows: Mapping[str, Sequence[str | None]]) -> Table:
        """A table from plain Python columns of texts, for small examples; it has no source to publish from."""
        domains: dict[str, Domain | Labels] = {}
        taxonomies: dict[str, Taxonomy] = {}
        codes: dict[str, Codes] = {}
        for name in schema.judged:
            domain, codes[name] = Domain.of(name, rows[name], kind=schema.column(name).kind, missing=schema.missing)
            builder = schema.column(name).taxonomy
            if builder is not None:
                taxonomies[name], order = builder.build(domain)
                domain = taxonomies[name].domain
                codes[name] = np.argsort(order).astype(np.int32)[codes[name]]
            domains[name] = domain
        counts = np.ones(len(next(iter(codes.values()), ())), dtype=np.int64)
        return cls(schema, _frozen(codes), counts, domains, taxonomies)._merged()

    def histogram(self, column: str) -> NDArray[np.int64]:
        """How many records have each value of a column."""
        return self._histograms(column)

    def agreeing(self, columns: Sequence[str]) -> Codes:
        """A number for every row such that rows with the same number agree on all these columns."""
        if not columns:
            return np.zeros(len(self), dtype=np.int32)
        radices = [len(self.domains[name]) for name in columns]
        return Packing.of([self.codes[name] for name in columns], radices)[1]

    def rows_where(self, keep: NDArray[np.bool_]) -> Table:
        """The table of only some of the rows."""
        codes = {name: column[keep] for name, column in self.codes.items()}
        return replace(self, codes=_frozen(codes), counts=self.counts[keep])

    def domain(self, column: str) -> Domain:
        """What the codes of an original column mean."""
        found = self.domains[column]
        return found.domain if isinstance(found, Labels) else found

    def _merged(self) -> Table:
        """Rows that became equal when raw values were read (`007` and `7`) are one row."""
        labels = self.agreeing(tuple(self.codes))
        distinct = int(labels.max()) + 1 if len(labels) else 0
        if distinct == len(self):
            return self
        first = np.zeros(distinct, dtype=np.int64)
        first[labels[::-1]] = np.arange(len(labels))[::-1]
        counts = np.bincount(labels, weights=self.counts).astype(np.int64)
        codes = {name: column[first] for name, column in self.codes.items()}
        return replace(self, codes=_frozen(codes), counts=counts)

    def _histograms(self, column: str) -> NDArray[np.int64]:
        found = self._counted.get(column)
        if found is None:
            weights = np.bincount(self.codes[column], weights=self.counts, minlength=len(self.domains[column]))
            found = self._counted[column] = weights.astype(np.int64)
        return found

    @cached_property
    def _counted(self) -> dict[str, NDArray[np.int64]]:
        return {}


def _frozen(codes: Mapping[str, Codes]) -> Mapping[str, Codes]:
    return MappingProxyType({name: np.ascontiguousarray(column, dtype=np.int32) for name, column in codes.items()})
