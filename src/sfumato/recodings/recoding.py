"""Recodings: the published label of every value or combination of values.

`operations` builds a recoding from the distinct rows of a table, and `engines.writing` applies it to every record.
`apply` is a pure function: the result for a record depends on its codes and, if equal records go to different groups,
on its ordinal among equal records. A value without a valid label, or a combination without a group, raises an error
that says how many there are.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.labels import Labels
from sfumato.data.row_keys import Packing
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.errors import DataError, SchemaError
from sfumato.kernels.arrays import Flags
from sfumato.recodings.unseen_values import label_unseen
from sfumato.runtime.atomic_files import write_text
from sfumato.taxonomies.base import TaxonomyBuilder

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Applied:
    """Records after recoding: the label of every cell, and which records are suppressed."""

    labels: Mapping[str, Codes]
    suppressed: Flags


class Numbered(NamedTuple):
    """Numbers that distinguish equal records: the number of a combination, and the ordinal of a record in it."""

    combination: Codes
    ordinal: NDArray[np.int64]


class Recoding(ABC):
    """Base of recodings: `labels[column]` are the labels of a published column, `reads` the original columns read."""

    labels: Mapping[str, Labels]
    reads: tuple[str, ...]

    def apply(self, codes: Mapping[str, Codes], numbered: Numbered | None = None) -> Applied:
        """The published labels of a batch of records, given by their codes.

        If equal records may get different labels (`combinations` > 0), `numbered` has their ordinals among all records;
        without it, the batch is taken as all records.
        """
        if numbered is None and self.combinations:
            numbered = self.number(codes, np.zeros(self.combinations, dtype=np.int64))
        return self._apply(codes, numbered)

    def number(self, codes: Mapping[str, Codes], earlier: NDArray[np.int64]) -> Numbered:
        """The numbers of a batch; `earlier` counts the records of each combination before it, and is updated."""
        from sfumato.kernels.equal_records import number_equal

        combination = self.combination(codes)
        return Numbered(combination, number_equal(combination, earlier))

    @abstractmethod
    def _apply(self, codes: Mapping[str, Codes], numbered: Numbered | None) -> Applied:
        """The published labels of a batch; `numbered` is given if `combinations` > 0."""

    @property
    def combinations(self) -> int:
        """The number of combinations whose records need ordinals; 0 if equal records always get equal labels."""
        return 0

    def combination(self, codes: Mapping[str, Codes]) -> Codes:
        """The number of every record's combination; raises an error for a combination without a number."""
        return np.zeros(len(next(iter(codes.values()))), dtype=np.int32)

    @abstractmethod
    def suppressing(self, labels: Mapping[str, Codes], groups: Codes | None) -> Recoding:
        """The same recoding that also suppresses rows, given by their labels or by their groups."""

    @abstractmethod
    def domain(self, column: str) -> Domain:
        """The original values of a column that the recoding reads."""

    def extended_to(
        self, raw: Mapping[str, Sequence[str | None]], builders: Mapping[str, TaxonomyBuilder]
    ) -> tuple[Recoding, dict[str, Codes]]:
        """A recoding that also has labels for these written values, and the code of each; -1 if no label fits.

        `builders` are the taxonomies of columns.
        """
        return self, {name: self.domain(name).codes_of(values) for name, values in raw.items()}

    @property
    def linkage(self) -> Linkage:
        """Which published columns belong to one record."""
        return Linkage()

    def shuffled(self, records: int) -> NDArray[np.int64] | None:
        """The order in which records are written; None if the original order discloses nothing."""
        return None

    @property
    def separate_columns(self) -> tuple[str, ...]:
        """The columns that are published in a table of their own, not with the records."""
        return ()

    def with_moved_values(self, rows: Table) -> Table:
        """The published rows as they are written: if links are cut, with values moved inside each bucket."""
        return rows

    @abstractmethod
    def summary(self) -> dict[str, Any]:
        """Plain data for a certificate: the amount of detail of each column, without values."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The whole recoding as plain data. It contains original values: store it as safely as the original data."""

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Recoding:
        """Rebuild a recoding from the result of `to_dict`."""
        return _KINDS[plain["kind"]](plain)

    def save(self, path: str | Path) -> Path:
        """Write all that was decided as JSON; the file appears when it is complete."""
        return write_text(json.dumps(self.to_dict(), ensure_ascii=False) + "\n", Path(path))

    @staticmethod
    def load(path: str | Path) -> Recoding:
        """Read what `save` wrote."""
        with suppress(OSError, ValueError, KeyError, TypeError):  # as a context, they would quote the file
            return Recoding.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
        raise DataError(f"file {Path(path).name!r} cannot be read as a recoding; write one with save().")


@dataclass(frozen=True, eq=False)
class ValueRecoding(Recoding):
    """Global recoding: a value of a column has the same label in all records (full-domain levels, cuts, intervals).

    `label_of[column][code]` is the label of a code; an entry after the last code is the label of unknown values.
    """

    labels: Mapping[str, Labels]
    label_of: Mapping[str, Codes]
    levels: Mapping[str, int] = field(default_factory=dict)
    reads: tuple[str, ...] = ()
    _suppressed: Packing | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "reads", tuple(self.labels))

    def _apply(self, codes: Mapping[str, Codes], numbered: Numbered | None) -> Applied:
        """Look up the label of each cell by its code, and suppressed records by the labels of all columns."""
        from sfumato.kernels.gather import gather

        labels = {name: gather(label_of, codes[name]) for name, label_of in self.label_of.items()}
        records = len(next(iter(codes.values())))
        if self._suppressed is None:
            return Applied(labels, np.zeros(records, dtype=bool))
        # Suppressed combinations are stored as packed labels; a combination without a number is not suppressed.
        return Applied(labels, self._suppressed.numbers(list(labels.values())) >= 0)

    def suppressing(self, labels: Mapping[str, Codes], groups: Codes | None = None) -> ValueRecoding:
        """The same recoding that also suppresses every record with one of the given combinations of labels."""
        if not self.labels:
            raise SchemaError(
                "records are suppressed by their labels, and this recoding has none; give the role quasi to a column."
            )
        columns = [labels[name] for name in self.labels]
        packing, _ = Packing.of(columns, [len(self.labels[name]) for name in self.labels])
        return replace(self, _suppressed=packing)

    def domain(self, column: str) -> Domain:
        """The original values that the labels of a column stand for."""
        return self.labels[column].domain

    def extended_to(
        self, raw: Mapping[str, Sequence[str | None]], builders: Mapping[str, TaxonomyBuilder]
    ) -> tuple[ValueRecoding, dict[str, Codes]]:
        """Extend the recoding by labels that hold for values outside the domain."""
        found = {
            name: label_unseen(self.labels[name], self.label_of[name], values, builders.get(name))
            for name, values in raw.items()
        }
        labels = {**self.labels, **{name: one.labels for name, one in found.items()}}
        label_of = {**self.label_of, **{name: one.label_of for name, one in found.items()}}
        return replace(self, labels=labels, label_of=label_of), {name: one.codes for name, one in found.items()}

    def to_dict(self) -> dict[str, Any]:
        """The label of every value, and the suppressed combinations."""
        return {
            "kind": "values",
            "labels": {name: labels.to_dict() for name, labels in self.labels.items()},
            "label_of": {name: codes.tolist() for name, codes in self.label_of.items()},
            "levels": dict(self.levels),
            "suppressed": None if self._suppressed is None else self._suppressed.to_dict(),
        }

    def summary(self) -> dict[str, Any]:
        """The level and the number of labels of every column."""
        return {
            "kind": "values",
            "columns": {
                name: {"level": self.levels.get(name), "labels": len(labels)} for name, labels in self.labels.items()
            },
        }


@dataclass(frozen=True, eq=False)
class GroupRecoding(Recoding):
    """Local recoding: every combination of values belongs to groups, and a group has one label for each column.

    `packing` numbers the combinations of the columns in `reads`. The records of combination i fill the runs
    `starts[i]` to `starts[i + 1] - 1` one after the other: `quotas[r]` records go to the group `groups[r]`; a group of
    -1 is suppressed. `cells[column][group]` is the label of a group.
    """

    labels: Mapping[str, Labels]
    reads: tuple[str, ...]
    packing: Packing
    starts: NDArray[np.int64]
    groups: Codes
    quotas: NDArray[np.int64]
    cells: Mapping[str, Codes]
    domains: Mapping[str, Domain]

    def domain(self, column: str) -> Domain:
        """The original values of a column that is part of a combination."""
        return self.domains[column]

    def _apply(self, codes: Mapping[str, Codes], numbered: Numbered | None) -> Applied:
        """Look up combinations by their packed number, and runs by the ordinal of a record."""
        return self.publish_runs(self.runs(codes, numbered))

    @property
    def combinations(self) -> int:
        """All combinations if one of them has several runs, otherwise 0."""
        shared = len(self.groups) > len(self.starts) - 1
        return len(self.starts) - 1 if shared else 0

    def combination(self, codes: Mapping[str, Codes]) -> Codes:
        """The packed number of the columns in `reads`."""
        from sfumato.kernels.gather import any_negative

        numbers = self.packing.numbers([codes[name] for name in self.reads])
        if any_negative(numbers):
            unknown = int((numbers < 0).sum())
            raise DataError(
                f"{unknown} records have a combination of values that the release was not made from; anonymize the "
                "present data again."
            )
        return numbers

    def runs(self, codes: Mapping[str, Codes], numbered: Numbered | None) -> NDArray[np.integer]:
        """The run of every record; if every combination has one run, it is the number of the combination."""
        if numbered is None:
            return self.combination(codes)
        from sfumato.kernels.equal_records import runs_of

        return runs_of(numbered.combination, numbered.ordinal, self.starts, self.ends)

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """For each run, the number of records of its combination in this run and all earlier ones."""
        whole = np.cumsum(self.quotas)
        before = np.concatenate([[0], whole])[self.starts[:-1]]
        return np.asarray(whole - np.repeat(before, np.diff(self.starts)), dtype=np.int64)

    def publish_runs(self, runs: NDArray[np.integer]) -> Applied:
        """The labels of the groups of the given runs."""
        from sfumato.kernels.gather import gather

        group = gather(self.groups, runs)
        suppresses = bool((self.groups < 0).any())
        suppressed = group < 0 if suppresses else np.zeros(len(group), dtype=bool)
        # Any valid group: the labels of suppressed records are never published.
        group = np.where(suppressed, np.int32(0), group) if suppresses else group
        return Applied({name: gather(cells, group) for name, cells in self.cells.items()}, suppressed)

    def suppressing(self, labels: Mapping[str, Codes], groups: Codes | None = None) -> GroupRecoding:
        """The same recoding that also suppresses the given groups."""
        gone = np.isin(self.groups, groups if groups is not None else ())
        return replace(self, groups=np.where(gone, -1, self.groups).astype(np.int32))

    def to_dict(self) -> dict[str, Any]:
        """The groups of every combination, and the labels of every group."""
        return {
            "kind": "groups",
            "labels": {name: labels.to_dict() for name, labels in self.labels.items()},
            "reads": list(self.reads),
            "packing": self.packing.to_dict(),
            "starts": self.starts.tolist(),
            "groups": self.groups.tolist(),
            "quotas": self.quotas.tolist(),
            "cells": {name: codes.tolist() for name, codes in self.cells.items()},
            "domains": {name: domain.to_dict() for name, domain in self.domains.items()},
        }

    def summary(self) -> dict[str, Any]:
        """The number of groups, and the number of labels of each column."""
        columns = {name: {"labels": len(labels)} for name, labels in self.labels.items()}
        return {"kind": "groups", "groups": len(np.unique(self.groups[self.groups >= 0])), "columns": columns}


def _values(plain: Mapping[str, Any]) -> ValueRecoding:
    labels = {name: Labels.from_dict(one) for name, one in plain["labels"].items()}
    label_of = {name: np.array(codes, dtype=np.int32) for name, codes in plain["label_of"].items()}
    suppressed = None if plain["suppressed"] is None else Packing.from_dict(plain["suppressed"])
    return ValueRecoding(labels, label_of, plain["levels"], _suppressed=suppressed)


def _groups(plain: Mapping[str, Any]) -> GroupRecoding:
    return GroupRecoding(
        labels={name: Labels.from_dict(one) for name, one in plain["labels"].items()},
        reads=tuple(plain["reads"]),
        packing=Packing.from_dict(plain["packing"]),
        starts=np.array(plain["starts"], dtype=np.int64),
        groups=np.array(plain["groups"], dtype=np.int32),
        quotas=np.array(plain["quotas"], dtype=np.int64),
        cells={name: np.array(codes, dtype=np.int32) for name, codes in plain["cells"].items()},
        domains={name: Domain.from_dict(one) for name, one in plain["domains"].items()},
    )


def _buckets(plain: Mapping[str, Any]) -> Recoding:
    from sfumato.recodings.buckets import BucketRecoding

    return BucketRecoding.of_dict(plain)


_Reader = Callable[[Mapping[str, Any]], Recoding]
_KINDS: dict[str, _Reader] = {"values": _values, "groups": _groups, "buckets": _buckets}
