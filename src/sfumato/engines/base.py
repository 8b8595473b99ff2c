"""The contract of an engine: where counting and applying happen, over the raw records of one source."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Kind

BESIDE = "original "
"""What the columns of an original are called where they stand beside those of a release: `original age`."""

Dialect = tuple[str | None, str | None]
"""Separator and encoding of a text file; None where they are to be found out."""

DOMAIN_LIMIT = 5_000_000
"""Distinct values of a column that are brought into memory before an engine refuses."""

BUDGET = 50_000_000
"""Distinct rows that are brought into memory before an engine refuses."""


@dataclass(frozen=True, eq=False)
class Counted:
    """Distinct rows with counts: `raw[column]` lists written values (None: missing), `codes[column]` points there.

    Where records are `uncounted`, nearly all are different, and each is a row of its own, in row order.
    """

    raw: Mapping[str, Sequence[str | None]]
    codes: Mapping[str, NDArray[np.integer]]
    counts: NDArray[np.int64]
    uncounted: bool = False


@dataclass(frozen=True, eq=False)
class Encoding:
    """The written values of a column as a source has them, and the code each of them gets."""

    raw: Sequence[str | None]
    codes: NDArray[np.int32]

    @property
    def one_to_one(self) -> bool:
        """Whether no two written values (such as 007 and 7) mean the same."""
        return len(np.unique(self.codes)) == len(self.codes)


class RecordBatch(NamedTuple):
    """Some records in row order: coded columns by their codes (-1: a value without one), plain ones in Arrow."""

    codes: Mapping[str, NDArray[np.int32]]
    plain: Mapping[str, Any]


class Engine(ABC):
    """One source of records and the verbs that go over all of them.

    `index_columns` are columns in which pandas has stored the index of a frame.
    """

    columns: tuple[str, ...]
    described: str
    index_columns: tuple[str, ...] = ()
    separator: str = ","
    frame: Any = None

    def without(self, columns: Collection[str]) -> Self:
        """The same source as if it did not have these columns."""
        made = copy(self)
        made.columns = tuple(name for name in self.columns if name not in columns)
        return made

    @abstractmethod
    def kind(self, column: str) -> Kind | None:
        """What the source itself says a column holds; None where it is untyped text."""

    @abstractmethod
    def arrow_type(self, column: str) -> Any:
        """The Arrow type in which a column comes out of `rows`."""

    @abstractmethod
    def domains(self, columns: Sequence[str], *, limit: int = DOMAIN_LIMIT) -> Mapping[str, Sequence[str | None]]:
        """The distinct values of each column as written; refuses a column with more than `limit` of them."""

    @abstractmethod
    def count(self, columns: Sequence[str], *, budget: int = BUDGET) -> Counted:
        """How often each combination of values occurs; refuses when there are more than `budget` of them."""

    @abstractmethod
    def group_sizes(self, columns: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Sizes of groups that agree on the columns, and how many groups have each size; never held in memory."""

    @abstractmethod
    def filled(self, columns: Sequence[str], text: str | None) -> int:
        """How many records have this one text in every one of the columns; None asks for missing values."""

    @abstractmethod
    def first(self, records: int) -> Counted:
        """The first records one by one, to get an idea of a source without going over all of it."""

    @abstractmethod
    def rows(self, coded: Mapping[str, Encoding], *, plain: Sequence[str] = ()) -> Iterator[RecordBatch]:
        """Every record in row order, batch after batch."""


def stored_index(names: Sequence[str], metadata: Mapping[bytes, bytes] | None) -> tuple[str, ...]:
    """The columns of an Arrow schema that pandas made of an index: as its metadata say, or as it names them.

    >>> stored_index(["age", "__index_level_0__"], None)
    ('__index_level_0__',)
    """
    said: set[str] = set()
    with suppress(KeyError, ValueError, TypeError):  # where something else than pandas wrote the metadata
        said = {one for one in json.loads((metadata or {})[b"pandas"])["index_columns"] if isinstance(one, str)}
    return tuple(name for name in names if name in said or re.fullmatch(r"__index_level_\d+__", name))
