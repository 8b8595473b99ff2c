"""Small results as Python values: for few rows this is faster than DuckDB's export to Arrow.

Workers use it for answers, the private side for refreshes of few rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

MAX_ROWS = 32
"""The largest number of rows that are fetched as Python values."""
_ARROW = {
    "BOOLEAN": pa.bool_(), "TINYINT": pa.int8(), "SMALLINT": pa.int16(), "INTEGER": pa.int32(), "BIGINT": pa.int64(),
    "UTINYINT": pa.uint8(), "USMALLINT": pa.uint16(), "UINTEGER": pa.uint32(), "UBIGINT": pa.uint64(),
    "FLOAT": pa.float32(), "DOUBLE": pa.float64(), "VARCHAR": pa.string(),
}  # fmt: skip
"""Types whose values are the same in Python and Arrow; some dates and decimals have no Python value."""
_PLAIN = frozenset(_ARROW.values())


def small_result(con: Any) -> pa.RecordBatch | None:
    """The rows of the statement that was just executed; None if there are more, or if their types need Arrow.

    If it is None, the rest of the result blocks the connection until `discard_rest` or another statement.

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
    """Run a statement and return its rows, as Python values if they are few."""
    found = small_result(con.execute(statement, list(parameters)))
    if found is not None:
        return pa.Table.from_batches([found])
    discard_rest(con)
    return con.sql(statement, params=list(parameters)).to_arrow_table()


def discard_rest(con: Any) -> None:
    """Discard the rest of a result, which would block the connection."""
    con.execute("SELECT 1").fetchall()


def plain_values(rows: pa.Table) -> list[Any] | None:
    """The values of few rows, row by row; None if there are too many rows or their types need Arrow."""
    if rows.num_rows > MAX_ROWS or not all(kind in _PLAIN for kind in rows.schema.types):
        return None
    columns = [column.to_pylist() for column in rows.columns]
    return [value for row in zip(*columns, strict=True) for value in row]


def _batch(columns: Sequence[tuple[str, Any]], rows: Sequence[Sequence[Any]]) -> pa.RecordBatch:
    """Rows as an Arrow batch."""
    values = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    arrays = [pa.array(column, kind) for column, (_, kind) in zip(values, columns, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names=[name for name, _ in columns])
