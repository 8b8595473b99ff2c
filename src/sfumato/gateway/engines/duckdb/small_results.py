"""Answers of a few rows, taken as values of Python: for so few the engine's own way to Arrow is the dearer one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

MAX_ROWS = 32
_ARROW = {
    "BOOLEAN": pa.bool_(), "TINYINT": pa.int8(), "SMALLINT": pa.int16(), "INTEGER": pa.int32(), "BIGINT": pa.int64(),
    "UTINYINT": pa.uint8(), "USMALLINT": pa.uint16(), "UINTEGER": pa.uint32(), "UBIGINT": pa.uint64(),
    "FLOAT": pa.float32(), "DOUBLE": pa.float64(), "VARCHAR": pa.string(),
}  # fmt: skip
"""Types whose values are the same in both; days and decimals have some that Python has not."""
_PLAIN = frozenset(_ARROW.values())


def small_result(con: Any) -> pa.RecordBatch | None:
    """What was just executed; None where it has more rows, or types that need the long way.

    Where it is None, something may be left of the answer, and keeps the connection until something else is executed.

    >>> import duckdb
    >>> small_result(duckdb.connect().execute("SELECT 7 AS a, 'x' AS b")).to_pylist()
    [{'a': 7, 'b': 'x'}]
    """
    columns = [(name, _ARROW.get(str(kind))) for name, kind, *_ in con.description]
    if any(kind is None for _, kind in columns):
        return None
    rows = con.fetchmany(MAX_ROWS + 1)
    return None if len(rows) > MAX_ROWS else _batch(columns, rows)


def fetch(con: Any, statement: Any, parameters: Sequence[Any]) -> pa.Table:
    """The answer to a statement, by the short way if it has a few rows."""
    found = small_result(con.execute(statement, list(parameters)))
    if found is not None:
        return pa.Table.from_batches([found])
    discard_rest(con)
    return con.sql(statement, params=list(parameters)).to_arrow_table()


def discard_rest(con: Any) -> None:
    """Let go of what is left of an answer; it would keep the connection from doing anything else."""
    con.execute("SELECT 1").fetchall()


def plain_values(rows: pa.Table) -> list[Any] | None:
    """The values of a few rows, one row after the other; None where the types or the number need the long way."""
    if rows.num_rows > MAX_ROWS or not all(kind in _PLAIN for kind in rows.schema.types):
        return None
    columns = [column.to_pylist() for column in rows.columns]
    return [value for row in zip(*columns, strict=True) for value in row]


def _batch(columns: Sequence[tuple[str, Any]], rows: Sequence[Sequence[Any]]) -> pa.RecordBatch:
    values = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    arrays = [pa.array(column, kind) for column, (_, kind) in zip(values, columns, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names=[name for name, _ in columns])
