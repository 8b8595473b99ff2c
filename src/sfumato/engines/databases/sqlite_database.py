"""Rows and tables of a SQLite database.

SQLite gives every value a type of its own; a column that is read gets one that fits all of its values.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.data.domain import written
from sfumato.engines.databases.base import MARKED, REFUSED, FileTables, demand_different, no_select, quoted_column
from sfumato.errors import DataError, SchemaError

_BATCH = 50_000
_EXACT = 15
"""Digits of a decimal number that SQLite's numbers hold exactly; longer ones are stored as texts."""
_PATIENCE = 60
"""Seconds for which other processes that write to the file are waited for."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d")
_WIDEST = 2**53
"""Whole numbers up to this one are exact beside fractions."""
_READING = {
    sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE,
}  # fmt: skip
"""What a statement may do; attaching files, writing and settings are refused."""
_REASONS = {
    "SQLITE_BUSY": "another process writes to it.",
    "SQLITE_CANTOPEN": "its file or folder is not writable.",
    "SQLITE_CORRUPT": "its file is damaged; use another copy of it.",
    "SQLITE_FULL": "the disk is full.",
    "SQLITE_IOERR": "the system cannot read or write its file; the disk may be full.",
    "SQLITE_LOCKED": "another process writes to it.",
    "SQLITE_NOTADB": "the file is no SQLite database.",
    "SQLITE_PERM": "its file or folder is not writable.",
    "SQLITE_READONLY": "its file or folder is not writable.",
}
"""What is wrong, by the beginning of the name of SQLite's error."""
_CREATED = re.compile(rf'CREATE TABLE "(?:[^"]|"")*" {re.escape(MARKED)}')
"""How the statement of a table begins that a publication wrote and renamed; elsewhere the mark may be any text."""
_NAMED = "FROM main.sqlite_master WHERE name = ? COLLATE NOCASE AND type"
"""What has a name; SQLite takes upper and lower case of a to z for the same."""


def quoted_name(table: str) -> str:
    """The complete name of a table as SQL; `main.`, in any case, is a schema, and other dots are part of the name.

    >>> quoted_name("Main.persons"), quoted_name("a.b")
    ('main."persons"', 'main."a.b"')
    """
    return f"main.{quoted_column(_own_name(table))}"


def _own_name(table: str) -> str:
    schema, point, name = table.partition(".")
    return name if point and schema.lower() == "main" else table


def snapshot(database: str, select: str, folder: Path) -> None:
    """Write the rows of a SELECT to a Parquet file in a folder, types and rows as of one moment."""
    connection = _opened(database)
    try:
        _copy(connection, select, folder)
    except sqlite3.Error:
        raise DataError("the rows of the SQLite database cannot be read; the query failed on a value.") from None
    finally:
        connection.close()


def _copy(connection: sqlite3.Connection, select: str, folder: Path) -> None:
    names, kinds = _columns(connection, select)
    schema = pa.schema(zip(names, kinds, strict=True))
    with pq.ParquetWriter(folder / "part-00000.parquet", schema) as writer:
        for rows in _batches(connection.execute(select)):
            columns = map(_arrow, zip(*rows, strict=True), kinds)
            writer.write_batch(pa.record_batch(list(columns), schema=schema))


class SqliteTables(FileTables):
    """Tables of a SQLite database; days and moments are stored as texts, which SQLite reads as such."""

    label = "SQLite"
    _connection: sqlite3.Connection

    def _begin(self) -> None:
        self._schema = "main"
        self._connection = sqlite3.connect(self._opened, timeout=_PATIENCE, isolation_level=None)
        self._execute("PRAGMA legacy_alter_table = ON")  # views of a table that is replaced stay
        self._execute("PRAGMA secure_delete = ON")  # rows that are rolled back or replaced do not stay in the file
        self._execute("BEGIN IMMEDIATE")

    def _column_type(self, kind: pa.DataType) -> str | None:
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
            return None if kind == pa.uint64() else "INTEGER"
        if pa.types.is_floating(kind) or (pa.types.is_decimal(kind) and kind.precision <= _EXACT):
            return "REAL"
        if pa.types.is_decimal(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return "TEXT"
        return "TEXT" if pa.types.is_temporal(kind) and not pa.types.is_duration(kind) else None

    def _load(self, staged: str, rows: Path) -> None:
        file = pq.ParquetFile(rows)
        schema = file.schema_arrow
        insert = f"INSERT INTO {staged} VALUES ({', '.join('?' * len(schema))})"
        for batch in file.iter_batches(_BATCH):
            columns = [self._stored(column).to_pylist() for column in batch.columns]
            self._connection.executemany(insert, zip(*columns, strict=True))

    def _stored(self, column: pa.Array) -> pa.Array:
        target = {"INTEGER": pa.int64(), "REAL": pa.float64()}.get(str(self._column_type(column.type)), pa.string())
        return column.cast(target)

    def _read_back(self, staged: str, stored: Path) -> None:
        _copy(self._connection, f"SELECT * FROM {staged}", stored)

    def _is_replaceable(self, table: str) -> bool:
        found = self._connection.execute(f"SELECT name {_NAMED} <> 'trigger'", [_own_name(table)]).fetchone()
        return found is None or self._number(table) is not None

    def _number(self, table: str) -> int | None:
        found = self._connection.execute(f"SELECT sql, rootpage {_NAMED} = 'table'", [_own_name(table)]).fetchone()
        return int(found[1]) if found is not None and _CREATED.match(str(found[0])) else None

    def _connected_file(self) -> str | None:
        files = {name: file for _, name, file in self._connection.execute("PRAGMA database_list")}
        return files["main"] or None

    def _refused_name(self, table: str) -> str:
        if _own_name(table).lower().startswith("sqlite_"):
            return "names that begin with sqlite_ are SQLite's own."
        return super()._refused_name(table)

    def _replace(self, staged: str, table: str) -> None:
        self._execute(f"DROP TABLE IF EXISTS {self._quoted(table)}")
        self._execute(f"ALTER TABLE {staged} RENAME TO {quoted_column(_own_name(table))}")

    def _can_run(self, select: str) -> bool:
        try:
            self._execute(f"EXPLAIN {select}")
        except sqlite3.Error:
            return False
        return True

    def _parts(self, table: str) -> Sequence[str]:
        return ["main", _own_name(table)]

    def _failures(self) -> tuple[type[Exception], ...]:
        return (sqlite3.Error,)

    def _why(self, error: Exception) -> str:
        code = getattr(error, "sqlite_errorname", "")
        return next((why for kind, why in _REASONS.items() if code.startswith(kind)), REFUSED)


def _opened(database: str) -> sqlite3.Connection:
    """A connection that can only read, in one transaction; refused for a file that is no whole database."""
    try:
        connection = sqlite3.connect(f"file:{quote(database)}?mode=ro", uri=True, isolation_level=None)
        connection.execute("BEGIN")  # one snapshot for all statements
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (journal,), (pages,), (size,) = (
            connection.execute(f"PRAGMA {name}").fetchone() for name in ("journal_mode", "page_count", "page_size")
        )
    except sqlite3.Error:
        raise DataError("the SQLite database cannot be opened: it is none, or is locked.") from None
    log = Path(f"{database}-wal")
    changing = journal == "wal" and log.exists() and log.stat().st_size > 0
    if not changing and Path(database).stat().st_size < pages * size:
        # SQLite reads what is missing at the end of its last page as zeros, and so as missing values.
        connection.close()
        raise DataError("the SQLite database is incomplete: its file is shorter than it says; copy it again.")
    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY)
    return connection


def _columns(connection: sqlite3.Connection, select: str) -> tuple[list[str], list[pa.DataType]]:
    """The names of the columns of a SELECT and the types that fit all their values."""
    try:
        connection.execute(f"EXPLAIN {select}").fetchone()  # alone, before it stands in parentheses
    except (sqlite3.Error, sqlite3.Warning):
        raise no_select() from None
    described = connection.execute(select).description
    if described is None:
        raise no_select()
    names = [one[0] for one in described]
    demand_different(names)
    # Columns are named by their places: within parentheses SQLite gives a second column of a name another one.
    places = [f"c{place}" for place in range(len(names))]
    within = f"WITH asked({', '.join(places)}) AS (\n{select}\n)"
    typed = ", ".join(f"typeof({place})" for place in places)
    combinations = connection.execute(f"{within} SELECT DISTINCT {typed} FROM asked").fetchall()
    kinds = []
    for at, (name, place) in enumerate(zip(names, places, strict=True)):
        found = {types[at] for types in combinations} - {"null"}
        if "blob" in found:
            raise SchemaError(f"column {name!r} has binary values, which cannot be published; leave it out by a query.")
        distinct = f"{within} SELECT DISTINCT {place} FROM asked WHERE {place} IS NOT NULL"
        kinds.append(_type_of(connection, distinct, found))
    return names, kinds


def _type_of(connection: sqlite3.Connection, distinct: str, found: set[str]) -> pa.DataType:
    """The type that fits all values of a column, which have these types of SQLite."""
    if found == {"integer"}:
        return pa.int64()
    if found and found <= {"integer", "real"}:
        values = (value for (value,) in connection.execute(distinct))
        exact = all(isinstance(value, float) or abs(value) <= _WIDEST for value in values)
        return pa.float64() if exact else pa.string()
    if found == {"text"}:
        moments = (date.fromisoformat, _DAY, pa.date32()), (datetime.fromisoformat, _MOMENT, pa.timestamp("us"))
        for read, pattern, kind in moments:
            values = (value for (value,) in connection.execute(distinct))
            if all(pattern.fullmatch(value) and _reads(read, value) for value in values):
                return kind
    return pa.string()


def _reads(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


def _batches(cursor: sqlite3.Cursor) -> Iterator[Sequence[Any]]:
    while rows := cursor.fetchmany(_BATCH):
        yield rows


def _arrow(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_date(kind):
        return pa.array([None if value is None else date.fromisoformat(value) for value in values], kind)
    if pa.types.is_timestamp(kind):
        return pa.array([None if value is None else datetime.fromisoformat(value) for value in values], kind)
    if pa.types.is_string(kind):
        return pa.array([_text(value) for value in values], kind)
    return pa.array(values, kind)


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return written(value) if isinstance(value, float) else str(value)
