"""One source as a DuckDB relation: SQL expressions for its columns, queries, and error messages without values.

`DuckdbEngine` and `linked_sources` build their queries with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.engines.base import BATCH
from sfumato.engines.duckdb.databases import Database, shared_database
from sfumato.engines.readable_files import SET_ENCODING
from sfumato.errors import DataError
from sfumato.runtime.progress import watched
from sfumato.runtime.representations import sizes_only

_SPAN = 2**20
"""The largest range of whole numbers that is coded by offsets."""
_SMALL = 8 << 20
"""Bytes of a source up to which it shares a database with other small sources."""

_WHOLE = re.compile(r"^U?(TINY|SMALL|BIG)?INT(EGER)?$")
_REASONS = (
    (r"expected number of columns", "a row has another number of values than the header."),
    (r"unterminated quote", "a quoted value does not end where it should."),
    (
        r"invalid unicode|not utf-?8|encoding",
        f"its text is not in the expected encoding; {SET_ENCODING}",
    ),
    (r"out of memory", "it needs more memory than is allowed."),
    (r"parquet", "it is no complete Parquet file."),
)


class Coded(NamedTuple):
    """A column as small numbers: an SQL expression that gives a number per record, and the given value of each number.

    `places[number]` is the index of the value in the list that was given.
    """

    expression: str
    places: NDArray[np.int32]

    def __repr__(self) -> str:
        return sizes_only(self)

    def as_codes(self, codes: NDArray[np.int32]) -> Coded:
        """The same expression, with the codes of the given values instead of their indices."""
        return Coded(self.expression, np.where(self.places >= 0, codes[self.places], -1).astype(np.int32))

    def at(self, numbers: pa.Array) -> NDArray[np.int32]:
        """The index or code of each number; -1 for a value that was not given."""
        from sfumato.kernels.gather import gather

        if not numbers.null_count:
            return gather(self.places, numbers.to_numpy())
        # A null reads the -1 that is appended behind the last place.
        filled = pc.fill_null(numbers.cast(pa.int32()), len(self.places))
        return gather(np.append(self.places, np.int32(-1)), filled.to_numpy())


_PROGRESS = "SET enable_progress_bar_print = false; SET progress_bar_time = 0; SET enable_progress_bar = true"
"""Queries count how far they are, for `query_progress`, and print nothing."""


class Relation:
    """A table function or registered table in an in-memory DuckDB; its columns are called c0, c1, ...

    Columns are numbered because DuckDB does not distinguish `Age` and `age`. `size` estimates the number of bytes of
    the source. Opening a database takes as long as reading some megabytes, so small sources share one; their
    connections have private views and types. A large source has a database of its own, whose memory is released when
    it is disconnected.
    """

    def __init__(
        self, function: str, columns: Sequence[str], *, described: str, size: int, frame: pa.Table | None = None
    ) -> None:
        self.columns, self.described = tuple(columns), described
        names = [f"c{place}" for place in range(len(self.columns))]
        self.source = f"{function} AS source({', '.join(names)})"
        self._frame = {} if frame is None else {function: frame.rename_columns(names)}
        self._open: duckdb.DuckDBPyConnection | None = None
        self._database: Database | None = None
        self._small = size <= _SMALL
        self._enums = 0
        with self._translated():
            empty = self._connection.sql(f"SELECT * FROM {self.source} LIMIT 0")
            self.types = tuple(str(kind) for kind in empty.types)
            self.arrow_types = tuple(empty.to_arrow_table().schema.types)

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        """The connection, opened on first use, and opened again if its database is not usable any more."""
        if self._database is not None and not self._database.usable:
            self.disconnect()
        if self._open is None:
            self._database = shared_database() if self._small else Database()
            self._open = self._database.connection.cursor()
            self._open.execute(_PROGRESS)
            for name, table in self._frame.items():
                self._open.register(name, table)
        return self._open

    def disconnect(self) -> None:
        """Close the connection to release its memory; earlier expressions become invalid."""
        connection, database = self._open, self._database
        self._open = self._database = None
        if connection is not None and database is not None and database.usable:
            connection.close()
        if database is not None and not self._small:
            database.close()

    def where(self, condition: str) -> Relation:
        """The relation of the records that satisfy an SQL condition, with a connection of its own."""
        made = copy(self)
        names = ", ".join(f"c{place}" for place in range(len(self.columns)))
        made.source = f"(SELECT * FROM {self.source} WHERE {condition}) AS source({names})"
        made._open = made._database = None
        return made

    def place(self, column: str) -> int:
        """The index of a column."""
        return self.columns.index(column)

    def raw(self, column: str) -> str:
        """The SQL name of a column."""
        return f"c{self.place(column)}"

    def type(self, column: str) -> str:
        """The DuckDB type of a column."""
        return self.types[self.place(column)]

    def whole(self, column: str) -> bool:
        """Whether a column holds whole numbers of at most 64 bits."""
        return bool(_WHOLE.match(self.type(column)))

    def text(self, column: str, raw: str = "") -> str:
        """The SQL expression for the text of a column, or of an expression of its type; NaN is a missing value."""
        raw, kind = raw or self.raw(column), self.type(column)
        if kind in ("FLOAT", "DOUBLE"):
            return f"CASE WHEN isnan({raw}) THEN NULL ELSE CAST({raw} AS VARCHAR) END"
        return raw if kind == "VARCHAR" else f"CAST({raw} AS VARCHAR)"

    def query(self, sql: str) -> pa.Table:
        """The whole result of a query; a long one reports its progress."""
        with self._translated():
            connection = self._connection
            with watched("reading records", 100, lambda: int(connection.query_progress())):
                return connection.sql(sql).to_arrow_table()

    def number(self, sql: str) -> int:
        """The result of a query for one number."""
        return int(self.query(sql).column(0)[0].as_py())

    def stream(self, sql: str) -> Iterator[pa.RecordBatch]:
        """The result of a query in batches, in order."""
        with self._translated():
            yield from _batches(self._connection.sql(sql).to_arrow_reader(BATCH))

    def coded(self, column: str, values: Sequence[str | None]) -> Coded:
        """An expression for given values as small numbers: offsets for whole numbers, otherwise a cast to an ENUM.

        An ENUM is the fastest cast. A value that was not given becomes NULL, and so does a missing value unless None
        was given.
        """
        present = [place for place, value in enumerate(values) if value is not None]
        texts = [values[place] for place in present]
        offsets = self._offsets(column, texts)
        if offsets is not None:
            low, places = offsets
            inside = f"{self.raw(column)} BETWEEN {low} AND {low + len(places) - 1}"
            expression = f"CASE WHEN {inside} THEN CAST({self.raw(column)} - {low} AS INTEGER) END"
            # From indices among the values that are not missing to indices among all given values.
            places = np.where(places >= 0, np.array(present, dtype=np.int32)[places], -1).astype(np.int32)
        else:
            places = np.array(present, dtype=np.int32)
            expression = f"enum_code(TRY_CAST({self.text(column)} AS {self._enum(texts)}))" if texts else "NULL"
        if None not in values:
            return Coded(expression, places)
        missing = f"CASE WHEN {self.text(column)} IS NULL THEN {len(places)} END"
        return Coded(
            f"COALESCE(CAST({expression} AS INTEGER), {missing})", np.append(places, np.int32(values.index(None)))
        )

    def _offsets(self, column: str, texts: Sequence[str | None]) -> tuple[int, NDArray[np.int32]] | None:
        """The least whole number, and the index of the text of every number from it on (-1: none)."""
        if not texts or not self.whole(column):
            return None
        numbers = [int(text) for text in texts if text is not None]
        low, span = min(numbers), max(numbers) - min(numbers) + 1
        if span > _SPAN:
            return None
        places = np.full(span, -1, dtype=np.int32)
        places[np.array(numbers, dtype=np.int64) - low] = np.arange(len(numbers))
        return low, places

    def _enum(self, texts: Sequence[str | None]) -> str:
        """Create an ENUM type of the texts, in order; returns its name."""
        name = f"domain{self._enums}"
        self._enums += 1
        with self._translated():
            self._connection.register("listed", pa.table({"value": pa.array(texts, pa.string())}))
            self._connection.execute(f"CREATE TEMP TYPE {name} AS ENUM (SELECT value FROM listed)")
            self._connection.unregister("listed")
        return name

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Replace errors of DuckDB, whose messages quote records, by errors with the reason and the line number."""
        try:
            yield
        except RuntimeError as error:
            if "interrupted" in str(error).lower():  # how DuckDB passes on an interrupt
                raise KeyboardInterrupt from None
            raise
        except duckdb.Error as error:
            if self._database is not None and _is_fatal(error):
                self._database.usable = False
                self.disconnect()
            # The message is taken out of the error first: `from None` only hides the
            # context when it is printed, and a debugger or logger could still show it.
            raise DataError(f"{self.described} cannot be read{_reason(_taken_message(error))}") from None


def _batches(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """The batches of a reader; an error of DuckDB, which arrives as an error of Arrow, is raised as what it was."""
    try:
        yield from reader
    except (pa.ArrowException, OSError) as error:
        raise duckdb.Error(_taken_message(error)) from None


def _taken_message(error: Exception) -> str:
    """The message of an error, which is removed from it: the error stays the context of the one raised instead."""
    message = str(error)
    error.args = ("the message quoted a record",)
    if isinstance(error, OSError):
        error.strerror = error.filename = error.filename2 = None
    return message


def _is_fatal(error: duckdb.Error) -> bool:
    """Whether a database answers nothing any more after an error."""
    fatal = isinstance(error, (duckdb.FatalException, duckdb.InternalException))
    return fatal or str(error).startswith(("FATAL Error", "INTERNAL Error"))  # what arrives through Arrow


def _reason(message: str) -> str:
    """The line number in a message of DuckDB, if any, and the reason in words without values."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f" near line {line[1]}: " if line else ": "
    for pattern, words in _REASONS:
        if re.search(pattern, message, re.IGNORECASE):
            return where + words
    return f"{where}its format is damaged, or is not the one that the ending of its name says."
