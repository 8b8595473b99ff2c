"""The contract of an engine, which reads the raw records of one source.

An engine counts distinct rows for `Table` and streams records for `engines.writing`. `engines.opening` opens one.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.data.kinds import Kind
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.engines.readable_files import TEXT, ReadableFile
from sfumato.errors import SchemaError
from sfumato.runtime.representations import sizes_only

BESIDE = "original "
"""Prefix of original columns in a source that also has the columns of the release: `original age`."""

DOMAIN_LIMIT = 5_000_000
"""Most distinct values of a column that an engine loads into memory."""

BUDGET = 50_000_000
"""Most distinct rows that an engine loads into memory."""

BATCH = 122_880
"""Records per batch; the size of a row group in DuckDB."""


def written_separator(path: Path, separator: str) -> str:
    r"""The separator with which the library writes a text file: tabs for `.tsv`.

    >>> [written_separator(Path(name), ";") for name in ("a.csv", "a.tsv")]
    [';', '\t']
    """
    return "\t" if path.suffix.lower() == ".tsv" else separator


def options_of_written(path: Path, separator: str) -> ReadOptions:
    """How a file that the library has written is read back; nothing is detected from the values of a text file."""
    if path.suffix.lower() not in TEXT:
        return DETECTED
    return ReadOptions(separator=written_separator(path, separator), encoding="utf-8", header=True)


@dataclass(frozen=True)
class LinkedFiles:
    """The files of one release that an engine reads as one source: records, sensitive values, and originals.

    `secrets` has the bucket, the sensitive columns and their count, in this order. Which record of a bucket gets which
    sensitive value is arbitrary, and the same every time: the release does not link them. `original` has the same
    records in the same order or, if `shared` columns are given, in any order; records that agree on all of these are
    then matched in file order.
    """

    release: ReadableFile
    secrets: ReadableFile | None = None
    bucket: str = ""
    original: ReadableFile | None = None
    shared: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Counted:
    """Distinct rows with counts: `raw[column]` lists written values (None: missing), `codes[column]` are indices in it.

    If `uncounted`, equal rows are not merged: rows are kept in the given order, for example one for each record.
    """

    raw: Mapping[str, Sequence[str | None]]
    codes: Mapping[str, NDArray[np.integer]]
    counts: NDArray[np.int64]
    uncounted: bool = False

    def __repr__(self) -> str:
        return sizes_only(self)


@dataclass(frozen=True, eq=False)
class Encoding:
    """The written values of a column in a source, and the code of each of them."""

    raw: Sequence[str | None] = field(repr=False)
    codes: NDArray[np.int32]

    @property
    def one_to_one(self) -> bool:
        """Whether no two written values (such as 007 and 7) have the same code."""
        return len(np.unique(self.codes)) == len(self.codes)


class RecordBatch(NamedTuple):
    """A batch of records in row order: coded columns as codes (-1: a value without a code), plain columns in Arrow."""

    codes: Mapping[str, NDArray[np.int32]]
    plain: Mapping[str, Any]

    def __repr__(self) -> str:
        return sizes_only(self)


class CountedSizes(NamedTuple):
    """Distinct sizes of groups and the number of groups of each size.

    `filled` are the numbers of records that have one text in all the columns, for each text that was asked for.
    """

    sizes: NDArray[np.int64]
    how_many: NDArray[np.int64]
    filled: tuple[int, ...] = ()


class Engine(ABC):
    """One source of records, and the operations that read all of them.

    `described` names the source in messages, `frame` is the caller's frame if there is one, and `index_columns` are
    columns in which pandas stored the index of a frame. `labels` are the texts that a file of a statistics program has
    for its columns. `costly` says that every pass parses a large file of text, whatever columns are read.
    """

    columns: tuple[str, ...]
    described: str
    index_columns: tuple[str, ...] = ()
    labels: Mapping[str, str] = MappingProxyType({})
    separator: str = ","
    frame: Any = None
    costly: bool = False

    def without(self, columns: Collection[str]) -> Self:
        """The same source without these columns."""
        made = copy(self)
        made.columns = tuple(name for name in self.columns if name not in columns)
        return made

    @abstractmethod
    def kind(self, column: str) -> Kind | None:
        """The kind of a column by its type in the source; None for untyped text. Nested and binary ones are refused."""

    def is_comparable(self, column: str) -> bool:
        """Whether the values of a column can be compared: those that are nested or binary cannot."""
        try:
            self.kind(column)
        except SchemaError:
            return False
        return True

    @abstractmethod
    def arrow_type(self, column: str) -> Any:
        """The Arrow type of a plain column in `rows`."""

    @abstractmethod
    def domains(self, columns: Sequence[str], *, limit: int = DOMAIN_LIMIT) -> Mapping[str, Sequence[str | None]]:
        """The distinct written values of each column; raises an error for a column with more than `limit`."""

    @abstractmethod
    def count(self, columns: Sequence[str], *, budget: int = BUDGET) -> Counted:
        """The count of each combination of values; raises an error if there are more than `budget`."""

    @abstractmethod
    def group_sizes(
        self, columns: Sequence[str], *, filled_with: Sequence[str | None] = (), by_hash: bool = False
    ) -> CountedSizes:
        """The sizes of the groups that agree on the columns; the groups themselves are not loaded into memory.

        `by_hash` compares hashes of 64 bits instead of values, which saves memory where nearly all records differ. Two
        groups are taken for one with a probability of 2^-64, for any pair in 100 million records of 0.0003.
        """

    @abstractmethod
    def filled(self, columns: Sequence[str], text: str | None) -> int:
        """The number of records with this text in all the columns; None stands for a missing value."""

    @abstractmethod
    def without_filled(self, columns: Sequence[str], text: str | None) -> Self:
        """The same source without the records that `filled` counts."""

    @abstractmethod
    def first(self, records: int) -> Counted:
        """The first records one by one, as a sample that does not need a pass over the source."""

    @abstractmethod
    def spread(self, records: int) -> Counted:
        """So many records from random places of the whole source, one by one in row order; all if there are fewer.

        The same source gives the same records. It needs a pass over the source.
        """

    @abstractmethod
    def rows(self, coded: Mapping[str, Encoding], *, plain: Sequence[str] = ()) -> Iterator[RecordBatch]:
        """Every record in row order, in batches; `coded` columns as codes, `plain` ones as Arrow arrays."""


def stored_index(names: Sequence[str], metadata: Mapping[bytes, bytes] | None) -> tuple[str, ...]:
    """The columns of an Arrow schema that hold a pandas index, by the metadata or by their names.

    >>> stored_index(["age", "__index_level_0__"], None)
    ('__index_level_0__',)
    """
    listed: set[str] = set()
    with suppress(KeyError, ValueError, TypeError):  # the metadata need not come from pandas
        listed = {one for one in json.loads((metadata or {})[b"pandas"])["index_columns"] if isinstance(one, str)}
    return tuple(name for name in names if name in listed or re.fullmatch(r"__index_level_\d+__", name))
