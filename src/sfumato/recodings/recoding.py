"""What was decided, as data: which published label every value or combination of values gets.

A recoding is learned from distinct rows and applied to every record. `apply` is pure: what a record becomes follows
from its codes and, where equal records go to different groups, from its number among equal records. It never guesses: a
value that no label is true of, or a combination that belongs to no group, is refused, with a count.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
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
from sfumato.errors import DataError
from sfumato.recodings.unseen_values import label_unseen
from sfumato.runtime.atomic_files import write_text
from sfumato.taxonomies.base import TaxonomyBuilder

Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Applied:
    """Some records after recoding: a label for every cell, and which records are not published at all."""

    labels: Mapping[str, Codes]
    suppressed: Mask


class Numbered(NamedTuple):
    """Records that are told apart from equal ones: the number of their combination, and how many came before."""

    combination: Codes
    ordinal: NDArray[np.int64]


class Recoding(ABC):
    """What was decided: `labels[column]` is what a column publishes, `reads` the columns one must know to decide."""

    labels: Mapping[str, Labels]
    reads: tuple[str, ...]

    def apply(self, codes: Mapping[str, Codes], numbered: Numbered | None = None) -> Applied:
        """The published labels of some records.

        Where equal records are told apart (`combinations`), `numbered` numbers them among all records; without it the
        records given are taken to be all there are.
        """
        if numbered is None and self.combinations:
            numbered = self.number(codes, np.zeros(self.combinations, dtype=np.int64))
        return self._apply(codes, numbered)

    def number(self, codes: Mapping[str, Codes], seen: NDArray[np.int64]) -> Numbered:
        """Numbers for a batch of records; `seen` counts those of every combination before it, and is updated."""
        from sfumato.kernels.quotas import number_equal

        combination = self.combination(codes)
        return Numbered(combination, number_equal(combination, seen))

    @abstractmethod
    def _apply(self, codes: Mapping[str, Codes], numbered: Numbered | None) -> Applied:
        """The published labels of some records, numbered where equal ones are told apart."""

    @property
    def combinations(self) -> int:
        """How many combinations of values are told apart by ordinals; 0 where equal records are published alike."""
        return 0

    def combination(self, codes: Mapping[str, Codes]) -> Codes:
        """The number of every record's combination; refuses one that was not there when it was decided."""
        return np.zeros(len(next(iter(codes.values()))), dtype=np.int32)

    @abstractmethod
    def suppressing(self, labels: Mapping[str, Codes], groups: Codes | None) -> Recoding:
        """The same recoding that also suppresses the given published rows."""

    @abstractmethod
    def domain(self, column: str) -> Domain:
        """The original values of a column that it reads."""

    def extended_to(
        self, raw: Mapping[str, Sequence[str | None]], builders: Mapping[str, TaxonomyBuilder]
    ) -> tuple[Recoding, dict[str, Codes]]:
        """A recoding for these written values too, and the code of each of them; -1 for one it cannot place."""
        return self, {name: self.domain(name).codes_of(values) for name, values in raw.items()}

    @property
    def linkage(self) -> Linkage:
        """Which columns belong to one record."""
        return Linkage()

    def shuffled(self, records: int) -> NDArray[np.int64] | None:
        """The order in which records are written, where they must not be written as they came; None where they may."""
        return None

    @property
    def separate_columns(self) -> tuple[str, ...]:
        """The columns of the data that records are published without."""
        return ()

    def with_moved_values(self, rows: Table) -> Table:
        """Published rows as they leave the house: with other people's values, where links between columns are cut."""
        return rows

    @abstractmethod
    def summary(self) -> dict[str, Any]:
        """Plain data for a certificate: how much each column publishes."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """All that was decided as plain data. It holds original values: keep it where the original is kept."""

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Recoding:
        """The recoding that `to_dict` told of."""
        return _KINDS[plain["kind"]](plain)

    def save(self, path: str | Path) -> Path:
        """Write all that was decided as JSON; the file appears when it is complete."""
        return write_text(json.dumps(self.to_dict(), ensure_ascii=False) + "\n", Path(path))

    @staticmethod
    def load(path: str | Path) -> Recoding:
        """Read what `save` wrote."""
        try:
            return Recoding.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError):
            raise DataError(f"file {Path(path).name!r} cannot be read as a recoding; write one with save().") from None


@dataclass(frozen=True, eq=False)
class ValueRecoding(Recoding):
    """Global recoding: every value of a column has one label, wherever it occurs (full-domain, cuts, intervals).

    `label_of[column][code]` is the label of a code; an entry beyond the domain is that of any value not seen before.
    """

    labels: Mapping[str, Labels]
    label_of: Mapping[str, Codes]
    levels: Mapping[str, int] = field(default_factory=dict)
    reads: tuple[str, ...] = ()
    _suppressed: Packing | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "reads", tuple(self.labels))

    def _apply(self, codes: Mapping[str, Codes], numbered: Numbered | None) -> Applied:
        """Values are looked up one column at a time; suppressed combinations by all of them."""
        from sfumato.kernels.gather import gather

        labels = {name: gather(label_of, codes[name]) for name, label_of in self.label_of.items()}
        records = len(next(iter(codes.values())))
        if self._suppressed is None:
            return Applied(labels, np.zeros(records, dtype=bool))
        return Applied(labels, self._suppressed.numbers(list(labels.values())) >= 0)

    def suppressing(self, labels: Mapping[str, Codes], groups: Codes | None = None) -> ValueRecoding:
        """Suppresses every record whose published combination is among the given ones."""
        columns = [labels[name] for name in self.labels]
        packing, _ = Packing.of(columns, [len(self.labels[name]) for name in self.labels])
        return replace(self, _suppressed=packing)

    def domain(self, column: str) -> Domain:
        """The values that the labels of a column stand for."""
        return self.labels[column].domain

    def extended_to(
        self, raw: Mapping[str, Sequence[str | None]], builders: Mapping[str, TaxonomyBuilder]
    ) -> tuple[ValueRecoding, dict[str, Codes]]:
        """Values that were not there when it was decided get a label that is true of them."""
        found = {
            name: label_unseen(self.labels[name], self.label_of[name], values, builders.get(name))
            for name, values in raw.items()
        }
        labels = {**self.labels, **{name: one.labels for name, one in found.items()}}
        label_of = {**self.label_of, **{name: one.label_of for name, one in found.items()}}
        return replace(self, labels=labels, label_of=label_of), {name: one.codes for name, one in found.items()}

    def to_dict(self) -> dict[str, Any]:
        """The label of every value, and the combinations that are suppressed."""
        return {
            "kind": "values",
            "labels": {name: labels.to_dict() for name, labels in self.labels.items()},
            "label_of": {name: codes.tolist() for name, codes in self.label_of.items()},
            "levels": dict(self.levels),
            "suppressed": None if self._suppressed is None else self._suppressed.to_dict(),
        }

    def summary(self) -> dict[str, Any]:
        """Level and number of labels of every column."""
        return {
            "kind": "values",
            "columns": {
                name: {"level": self.levels.get(name), "labels": len(labels)} for name, labels in self.labels.items()
            },
        }


@dataclass(frozen=True, eq=False)
class GroupRecoding(Recoding):
    """Local recoding: every combination of values belongs to a group, and every group has one label a column.

    `packing` numbers the combinations of the columns in `reads`. Records with combination i go to the groups
    `groups[starts[i]:starts[i + 1]]`, as many in each run as `quotas` says; a group of -1 is suppressed.
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
        """The values of a column by which a combination is known."""
        return self.domains[column]

    def _apply(self, codes: Mapping[str, Codes], numbered: Numbered | None) -> Applied:
        """Combinations are looked up by their packed number, and runs by the ordinal of a record."""
        return self.publish_runs(self.runs(codes, numbered))

    @property
    def combinations(self) -> int:
        """All of them, if some combination has several runs."""
        shared = len(self.groups) > len(self.starts) - 1
        return len(self.starts) - 1 if shared else 0

    def combination(self, codes: Mapping[str, Codes]) -> Codes:
        """The packed number of the columns in `reads`."""
        from sfumato.kernels.gather import any_negative

        numbers = self.packing.numbers([codes[name] for name in self.reads])
        if any_negative(numbers):
            strange = int((numbers < 0).sum())
            raise DataError(
                f"{strange} records have a combination of values that was not there when the recoding was decided; "
                "decide again on the data as it is now."
            )
        return numbers

    def runs(self, codes: Mapping[str, Codes], numbered: Numbered | None) -> NDArray[np.integer]:
        """The run of every record; where every combination has one run, that is the combination itself."""
        if numbered is None:
            return self.combination(codes)
        from sfumato.kernels.quotas import runs_of

        return runs_of(numbered.combination, numbered.ordinal, self.starts, self.ends)

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """How many records of its combination lie in each run and those before it."""
        whole = np.cumsum(self.quotas)
        before = np.concatenate([[0], whole])[self.starts[:-1]]
        return whole - np.repeat(before, np.diff(self.starts))

    def publish_runs(self, runs: NDArray[np.integer]) -> Applied:
        """The labels of the groups of some runs."""
        from sfumato.kernels.gather import gather

        group = gather(self.groups, runs)
        suppresses = bool((self.groups < 0).any())
        suppressed = group < 0 if suppresses else np.zeros(len(group), dtype=bool)
        group = np.where(suppressed, np.int32(0), group) if suppresses else group
        return Applied({name: gather(cells, group) for name, cells in self.cells.items()}, suppressed)

    def suppressing(self, labels: Mapping[str, Codes], groups: Codes | None = None) -> GroupRecoding:
        """Suppresses the given groups."""
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
        """How many groups there are and how much each column publishes."""
        columns = {name: {"labels": len(labels)} for name, labels in self.labels.items()}
        return {"kind": "groups", "groups": len(np.unique(self.groups[self.groups >= 0])), "columns": columns}


def _values(plain: Mapping[str, Any]) -> ValueRecoding:
    labels = {name: Labels.from_dict(told) for name, told in plain["labels"].items()}
    label_of = {name: np.array(codes, dtype=np.int32) for name, codes in plain["label_of"].items()}
    suppressed = None if plain["suppressed"] is None else Packing.from_dict(plain["suppressed"])
    return ValueRecoding(labels, label_of, plain["levels"], _suppressed=suppressed)


def _groups(plain: Mapping[str, Any]) -> GroupRecoding:
    return GroupRecoding(
        labels={name: Labels.from_dict(told) for name, told in plain["labels"].items()},
        reads=tuple(plain["reads"]),
        packing=Packing.from_dict(plain["packing"]),
        starts=np.array(plain["starts"], dtype=np.int64),
        groups=np.array(plain["groups"], dtype=np.int32),
        quotas=np.array(plain["quotas"], dtype=np.int64),
        cells={name: np.array(codes, dtype=np.int32) for name, codes in plain["cells"].items()},
        domains={name: Domain.from_dict(told) for name, told in plain["domains"].items()},
    )


def _buckets(plain: Mapping[str, Any]) -> Recoding:
    from sfumato.recodings.buckets import BucketRecoding

    return BucketRecoding.of_dict(plain)


_Reader = Callable[[Mapping[str, Any]], Recoding]
_KINDS: dict[str, _Reader] = {"values": _values, "groups": _groups, "buckets": _buckets}
