"""A population: the public table of everybody who could be in a release, and who of them a published group stands for.

Models that compare a release with a population (`models/population_model.py`) read it; so do algorithms for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.labels import Labels
from sfumato.data.row_keys import Packing
from sfumato.data.schema import Column, Schema
from sfumato.data.table import Table
from sfumato.data.written_labels import WrittenLabels
from sfumato.disclosure.table_view import TableView
from sfumato.engines.base import Counted, Encoding, Engine
from sfumato.engines.opening import open_file, open_frame
from sfumato.errors import DataError, SchemaError, TaxonomyError, UnsuitableError, UsageError, nearest
from sfumato.kernels.arrays import Flags
from sfumato.taxonomies.base import TaxonomyBuilder
from sfumato.taxonomies.taxonomy import Taxonomy

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]

_CELLS = 1_000_000
"""Pairs of a group and a combination that are compared at once."""


class Regions(NamedTuple):
    """For each published group its records and the persons of the population that it covers.

    `absent` is the number of persons that no group covers.
    """

    present: Counts
    people: Counts
    absent: int


class _Coded(NamedTuple):
    """A column with the values of the population and of a table: domain, taxonomy, and the code of each value."""

    domain: Domain
    taxonomy: Taxonomy | None
    of_population: Codes
    of_table: Codes


@dataclass(frozen=True, eq=False, repr=False)
class Population:
    """A public table with one record for each person of a population, with the quasi columns of a release.

    It has the original values, or values that are generalized in the same way as the release. `fitted` is the same
    population for a table of original values: columns have the kinds and taxonomies of that table.

    >>> from sfumato.datasets import hospital
    >>> everybody = Population.of_table(hospital())
    >>> everybody.fitted(hospital()).records(hospital().schema)
    7
    """

    described: str
    _source: Engine | Table
    _columns: Mapping[str, Column] = field(default_factory=dict)
    _about: Mapping[str, int | str] = field(default_factory=dict)
    _known: dict[tuple[str, ...], Counted] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Population of {self.described}>"

    @classmethod
    def read(cls, path: str | Path) -> Population:
        """The population of a CSV or Parquet file."""
        return cls(Path(path).name, open_file(path))

    @classmethod
    def of_frame(cls, frame: object) -> Population:
        """The population of a pandas, polars or pyarrow frame, or of anything with `__arrow_c_stream__`."""
        return cls("a frame", open_frame(frame))

    @classmethod
    def of_table(cls, table: Table) -> Population:
        """The population of a table with original values."""
        return cls("a table", table)

    def brief(self) -> dict[str, int | str]:
        """The name of its source, and once it is fitted the number of records and a digest, for a certificate."""
        return {"source": self.described, **self._about}

    def fitted(self, table: Table) -> Population:
        """The population, read with the kinds and taxonomies of a table of original values that it contains.

        Raises an error if the table has more records of a combination of quasi values than the population.
        """
        columns = {}
        for name in table.schema.quasi:
            domain = table.domain(name)
            columns[name] = replace(table.schema.column(name), kind=domain.kind, notation=domain.notation)
        made = replace(self, _columns=columns)
        made._demand_contained(table)
        about: dict[str, int | str] = {"records": made.records(table.schema), "digest": made._digest(table.schema)}
        return replace(made, _about=about)

    def records(self, schema: Schema) -> int:
        """The number of persons."""
        return int(self._counted(schema).counts.sum())

    def _digest(self, schema: Schema) -> str:
        """A short hash of the quasi columns, independent of the order of records."""
        counted, codes = self._counted(schema), []
        found = sha256()
        for name in schema.quasi:
            texts = sorted(((text is not None, text or ""), code) for code, text in enumerate(counted.raw[name]))
            found.update(repr([name, [text for text, _ in texts]]).encode())
            place = np.empty(len(texts), dtype=np.int64)
            place[[code for _, code in texts]] = np.arange(len(texts))
            codes.append(place[counted.codes[name]])
        rows = np.stack([*codes, counted.counts])
        found.update(np.ascontiguousarray(rows[:, np.lexsort(rows)]).tobytes())
        return found.hexdigest()[:12]

    def widened(self, table: Table) -> Table:
        """The table with the values of the population in the domains and taxonomies of its quasi columns.

        So labels that are made of it cover the persons of the population, whose values may not occur in the table.
        """
        counted = self._counted(table.schema)
        codes, domains, encodings = dict(table.codes), dict(table.domains), dict(table.encodings)
        taxonomies = dict(table.taxonomies)
        for name in table.schema.quasi:
            made = self._coded(table.schema, counted, name, table.domain(name))
            codes[name], domains[name] = made.of_table[table.codes[name]], made.domain
            if name in encodings:
                encodings[name] = Encoding(encodings[name].raw, made.of_table[encodings[name].codes])
            if made.taxonomy is not None:
                taxonomies[name] = made.taxonomy
        frozen = MappingProxyType(
            {name: np.ascontiguousarray(column, dtype=np.int32) for name, column in codes.items()}
        )
        return replace(table, codes=frozen, domains=domains, taxonomies=taxonomies, encodings=encodings)

    def table(self, widened: Table) -> Table:
        """The distinct rows of the population in the codes of a table that it has widened."""
        counted = self._counted(widened.schema)
        codes = {}
        for name in widened.schema.quasi:
            alone, code = self._own(widened.schema, counted, name, widened.domain(name))
            codes[name] = widened.domain(name).codes_of(alone.texts)[code][counted.codes[name]]
        rows = replace(widened, codes=MappingProxyType(codes), counts=counted.counts, source=None, encodings={})
        return rows.distinct(widened.schema.quasi)[0]

    def regions(self, view: TableView) -> Regions:
        """The persons of the population that the labels of each published group cover, and those that none covers.

        The labels are read as an attacker reads them: as values, ranges, sets and nodes of a taxonomy. Raises an error
        if labels cannot be read, if a person is covered by several groups, or if a group has more records than persons.
        """
        quasi = view.schema.quasi
        if not set(quasi) <= set(view.table.codes):
            raise UsageError("only the sizes of groups were counted; name a sensitive column to load the groups.")
        counted = self._counted(view.schema)
        groups, _ = view.table.distinct(quasi)
        coded = {name: self._coded(self._published_schema(view), counted, name, None) for name in quasi}
        labels = {}
        for name in quasi:
            texts = view.table.domains[name].texts
            labels[name] = WrittenLabels.read(texts, coded[name].domain, coded[name].taxonomy)
            self._demand_readable(name, labels[name], groups.codes[name])
        self._demand_true(view, labels, coded)
        people = {name: coded[name].of_population[counted.codes[name]] for name in quasi}
        times, owner = _covering(
            [labels[name] for name in quasi], [groups.codes[name] for name in quasi], [people[name] for name in quasi]
        )
        several = int(counted.counts[times > 1].sum())
        if several:
            raise UnsuitableError(
                f"{several:,} records of the population fit several groups of the release, so nobody can say of how "
                "many persons a group is; publish groups that do not overlap, for example by spalm or mpalm."
            )
        here = np.bincount(owner[times > 0], weights=counted.counts[times > 0], minlength=len(groups)).astype(np.int64)
        too_many = int((groups.counts > here).sum())
        if too_many:
            raise DataError(
                f"{too_many:,} of {len(groups):,} groups of the release have fewer records in the population than in "
                "the release. Give a population that contains the records of the release, with original values or "
                "generalized in the same way."
            )
        return Regions(groups.counts, here, int(counted.counts[times == 0].sum()))

    def _counted(self, schema: Schema) -> Counted:
        """The distinct rows of the quasi columns of a schema, counted once; raises an error if one is lacking."""
        quasi = schema.quasi
        if quasi not in self._known:
            source = self._source
            columns = tuple(source.codes) if isinstance(source, Table) else source.columns
            lacking = [name for name in quasi if name not in columns]
            if lacking:
                raise SchemaError(
                    f"the population of {self.described} has no column {lacking[0]!r}; it needs all quasi columns of "
                    f"the data. {nearest(lacking[0], columns)}"
                )
            if isinstance(source, Table):
                rows = source.distinct(quasi)[0]
                raw = {name: rows.domain(name).texts for name in quasi}
                self._known[quasi] = Counted(raw, {name: rows.codes[name] for name in quasi}, rows.counts)
            else:
                self._known[quasi] = source.count(quasi)
        if not self._known[quasi].counts.sum():
            raise DataError(f"the population of {self.described} has no records.")
        return self._known[quasi]

    def _own(self, schema: Schema, counted: Counted, name: str, like: Domain | None) -> tuple[Domain, Codes]:
        """The domain of a column of the population, of the kind of another one, and the code of each of its texts."""
        column = self._columns.get(name, schema.column(name))
        kind, notation = (column.kind, column.notation) if like is None else (like.kind, like.notation)
        if isinstance(self._source, Table):  # its texts are those of a domain, in the standard notation
            return Domain.of(name, counted.raw[name], kind=kind, missing=schema.missing)
        stored = None if kind is not None else self._source.kind(name)
        return Domain.of(name, counted.raw[name], kind=kind, stored=stored, missing=schema.missing, notation=notation)

    def _coded(self, schema: Schema, counted: Counted, name: str, other: Domain | None) -> _Coded:
        """A column coded over the values of the population and of another domain."""
        column = self._columns.get(name, schema.column(name))
        alone, code = self._own(schema, counted, name, other)
        first = () if other is None else other.texts
        texts = list(dict.fromkeys((*first, *alone.texts)))
        domain, codes = Domain.of(name, texts, kind=alone.kind, missing=schema.missing)
        domain, taxonomy = replace(domain, notation=alone.notation if other is None else other.notation), None
        if column.taxonomy is not None:
            taxonomy, order = self._grown(column.taxonomy, domain)
            domain, codes = taxonomy.domain, np.argsort(order).astype(np.int32)[codes]
        place = dict(zip(texts, codes.tolist(), strict=True))
        mine = np.array([place[text] for text in alone.texts], dtype=np.int32)[code]
        return _Coded(domain, taxonomy, mine, np.array([place[text] for text in first], dtype=np.int32))

    def _grown(self, builder: TaxonomyBuilder, domain: Domain) -> tuple[Taxonomy, NDArray[np.int64]]:
        """The taxonomy over the values of the population, and the order of values."""
        try:
            return builder.grow(domain)
        except TaxonomyError as error:
            said = str(error)
        raise TaxonomyError(f"with the values of the population of {self.described}: {said}")

    def _published_schema(self, view: TableView) -> Schema:
        """The schema of a view with the kinds of original values, as far as the view knows them."""
        columns = []
        for column in view.schema.columns:
            found = view.table.domains.get(column.name)
            original = found.domain if isinstance(found, Labels) else None
            kind, notation = (None, None) if original is None else (original.kind, original.notation)
            columns.append(replace(column, kind=kind, notation=notation))
        return replace(view.schema, columns=tuple(columns))

    def _demand_contained(self, table: Table) -> None:
        """Raise an error if a combination of quasi values has more records in a table than in the population."""
        quasi = table.schema.quasi
        counted, released = self._counted(table.schema), table.distinct(quasi)[0]
        mine, theirs, radices = [], [], []
        for name in quasi:
            made = self._coded(table.schema, counted, name, table.domain(name))
            mine.append(made.of_population[counted.codes[name]])
            theirs.append(made.of_table[released.codes[name]])
            radices.append(len(made.domain))
        packing, number = Packing.of([np.concatenate(pair) for pair in zip(theirs, mine, strict=True)], radices)
        here, there = number[: len(released)], number[len(released) :]
        people = np.bincount(there, weights=counted.counts, minlength=len(packing))[here]
        few = people < released.counts
        if few.any():
            raise DataError(
                f"{int(few.sum()):,} of {len(released):,} combinations of quasi values have fewer records in the "
                f"population of {self.described} than in the data. Give a population that contains everybody in the "
                "data, with original values in the same columns."
            )

    def _demand_readable(self, name: str, labels: WrittenLabels, used: Codes) -> None:
        unclear = np.unique(used[~labels.understood[used]])
        if len(unclear):
            raise UsageError(
                f"{len(unclear):,} labels of column {name!r} are neither values of the population nor labels that can "
                "be read, so nobody can say whom they cover. Judge the release by the plan that made it, which has the "
                "taxonomies, or give a population that is generalized in the same way."
            )

    def _demand_true(self, view: TableView, labels: Mapping[str, WrittenLabels], coded: Mapping[str, _Coded]) -> None:
        """Raise an error if the original values are known and a label, such as a mean, does not cover its value."""
        people = view.people
        if people is None or not view.truth_known:
            return
        for name, read in labels.items():
            codes = coded[name].domain.codes_of(people.domain(name).texts)[people.codes[name]]
            false = (codes < 0) | ~read.cover(view.table.codes[name], np.maximum(codes, 0))
            if false.any():
                raise UnsuitableError(
                    f"the labels of column {name!r} do not cover the original values of "
                    f"{int(view.table.counts[false].sum()):,} records, or the population does not have these values; "
                    "publish ranges, sets or nodes of a taxonomy, and give a population that contains the records."
                )


def _covering(
    labels: Sequence[WrittenLabels], groups: Sequence[Codes], people: Sequence[Codes]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each combination of the population the number of groups that cover it, and one of these."""
    single = [_label_of(one, used) for one, used in zip(labels, groups, strict=True)]
    if all(label is not None for label in single):
        found = [label[codes] for label, codes in zip(single, people, strict=True) if label is not None]
        packing, number = Packing.of(groups, [len(one) for one in labels])
        place = np.empty(len(packing), dtype=np.int64)
        place[number] = np.arange(len(number))
        inside = np.logical_and.reduce([label >= 0 for label in found])
        numbers = packing.numbers([np.where(inside, label, 0).astype(np.int32) for label in found])
        inside &= numbers >= 0
        return inside.astype(np.int64), np.where(inside, place[np.maximum(numbers, 0)], 0)
    pairs = _Pairs(labels, groups, people)
    pairs.match(np.arange(len(groups[0])), np.arange(len(people[0])), list(range(len(labels))))
    return pairs.times, pairs.owner


class _Pairs:
    """Matches groups with combinations of a population where a value may have several labels.

    Column by column, the combinations with one value are compared only with the groups that have a label for it.
    """

    def __init__(self, labels: Sequence[WrittenLabels], groups: Sequence[Codes], people: Sequence[Codes]) -> None:
        self._labels, self._groups, self._people = labels, groups, people
        self._matrices = [_matrix(one, used) for one, used in zip(labels, groups, strict=True)]
        self.times = np.zeros(len(people[0]), dtype=np.int64)
        self.owner = np.zeros(len(people[0]), dtype=np.int64)

    def match(self, groups: NDArray[np.int64], people: NDArray[np.int64], columns: list[int]) -> None:
        """Count for these combinations how many of these groups cover them in these columns, and note one of them."""
        if not len(groups) or not len(people):
            return
        if len(groups) * len(people) <= _CELLS or not columns:
            self._compare(groups, people, columns)
            return
        column, *rest = columns
        codes = self._people[column][people]
        order = np.argsort(codes, kind="stable")
        starts = np.flatnonzero(np.append(True, np.diff(codes[order]) != 0))
        for some in np.split(people[order], starts[1:]):
            fits = self._cover(column, groups, np.full(len(groups), self._people[column][some[0]]))
            self.match(groups[fits], some, rest)

    def _compare(self, groups: NDArray[np.int64], people: NDArray[np.int64], columns: list[int]) -> None:
        """Compare all pairs, some groups at a time."""
        step = max(1, _CELLS // len(people))
        for start in range(0, len(groups), step):
            some = groups[start : start + step]
            hit: Flags = np.ones((len(some), len(people)), dtype=bool)
            for column in columns:
                hit &= self._cover(column, some[:, None], self._people[column][people][None, :])
            self.times[people] += hit.sum(axis=0)
            self.owner[people] = np.where(hit.any(axis=0), some[hit.argmax(axis=0)], self.owner[people])

    def _cover(self, column: int, groups: NDArray[np.int64], codes: Codes) -> Flags:
        """Whether the labels of groups in a column cover codes, for arrays of the same shape or one of pairs."""
        label, matrix = self._groups[column][groups], self._matrices[column]
        if matrix is not None:
            return np.asarray(matrix[label, codes], dtype=np.bool_)
        one = self._labels[column]
        return np.asarray((one.lo[label] <= codes) & (codes <= one.hi[label]), dtype=np.bool_)


def _matrix(labels: WrittenLabels, used: Codes) -> NDArray[np.bool_] | None:
    """Which labels cover which codes; None if all are ranges and there are many."""
    if not labels.sets and len(labels) * len(labels.domain) > _CELLS:
        return None
    matrix = np.zeros((len(labels), len(labels.domain)), dtype=bool)
    for label in np.unique(used).tolist():
        matrix[label, labels.covered(label)] = True
    return matrix


def _label_of(labels: WrittenLabels, used: Codes) -> Codes | None:
    """The label that covers each code, -1 if none does; None if a code has several labels."""
    found = np.full(len(labels.domain), -1, dtype=np.int32)
    for label in np.unique(used).tolist():
        codes = labels.covered(label)
        if (found[codes] >= 0).any():
            return None
        found[codes] = label
    return found
