"""Rows of a SQLite database. SQLite gives every value a type of its own; a column gets one that fits all of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.data.domain import written
from sfumato.engines.databases.base import demand_different, no_select, quoted_name
from sfumato.errors import DataError, SchemaError

_BATCH = 50_000
_READING = {
    sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE,
    sqlite3.SQLITE_TRANSACTION,
}  # fmt: skip
"""What a statement may do; attaching files, writing and settings are refused."""


def snapshot(database: str, select: str, path: Path) -> None:
    """Write the rows of a SELECT to a Parquet file, types and rows as of one moment."""
    try:
        connection = sqlite3.connect(f"file:{quote(database)}?mode=ro", uri=True, isolation_level=None)
        connection.execute("BEGIN")  # one snapshot for all statements
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        raise DataError("the SQLite database cannot be opened: it is none, or is locked.") from None
    try:
        connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY)
        names, kinds = _columns(connection, select)
        schema = pa.schema(zip(names, kinds, strict=True))
        with pq.ParquetWriter(path, schema) as writer:
            for rows in _batches(connection.execute(select)):
                columns = map(_arrow, zip(*rows, strict=True), kinds)
                writer.write_batch(pa.record_batch(list(columns), schema=schema))
    except sqlite3.Error:
        raise DataError("the rows of the SQLite database cannot be read; the query failed on a value.") from None
    finally:
        connection.close()


def _columns(connection: sqlite3.Connection, select: str) -> tuple[list[str], list[pa.DataType]]:
    """The names of the columns of a SELECT and the types that fit all their values."""
    try:
        connection.execute(f"EXPLAIN {select}").fetchone()  # alone, before it stands in parentheses
        names = [one[0] for one in connection.execute(f"SELECT * FROM (\n{select}\n) LIMIT 0").description]
    except (sqlite3.Error, sqlite3.Warning):
        raise no_select() from None
    demand_different(names)
    within = f"FROM (\n{select}\n)"
    kinds = []
    for name in names:
        column = quoted_name(name)
        found = {kind for (kind,) in connection.execute(f"SELECT DISTINCT typeof({column}) {within}")} - {"null"}
        if "blob" in found:
            raise SchemaError(f"column {name!r} has binary values, which cannot be published; leave it out by a query.")
        kinds.append(_type_of(connection, column, within, found))
    return names, kinds


def _type_of(connection: sqlite3.Connection, column: str, within: str, found: set[str]) -> pa.DataType:
    if found and found <= {"integer"}:
        return pa.int64()
    if found and found <= {"integer", "real"}:
        return pa.float64()
    if found == {"text"}:
        for function, kind in (("date", pa.date32()), ("datetime", pa.timestamp("us"))):
            others = f"SELECT 1 {within} WHERE {column} IS NOT NULL AND {function}({column}) IS NOT {column} LIMIT 1"
            if connection.execute(others).fetchone() is None:
                return kind
    return pa.string()


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
