"""Rows of a PostgreSQL database, copied out in one read-only snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from sfumato.engines.databases.base import demand_different, no_select
from sfumato.errors import DataError, UsageError

_TYPES = {
    "bool": "BOOLEAN", "date": "DATE", "float4": "DOUBLE", "float8": "DOUBLE", "int2": "BIGINT", "int4": "BIGINT",
    "int8": "BIGINT", "timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMPTZ",
}  # fmt: skip
"""Types that are kept; a numeric keeps its scale, and all other values are read as texts."""
_WIDEST = 38
_NULL = "\\N"
_MEMORY = "400MB"


def refuse_password(connection: str) -> None:
    """Raise an error if a connection string has a password, which would stand in the plan and its certificate."""
    psycopg = _psycopg()
    text = connection if not connection.startswith("//") else f"postgresql:{connection}"
    try:
        given = psycopg.conninfo.conninfo_to_dict(text)
    except psycopg.Error:
        raise UsageError("the connection of the PostgreSQL database is not written as PostgreSQL wants it.") from None
    if {"password", "sslpassword"} & given.keys():
        raise UsageError(
            "a plan has no passwords: put the password of the PostgreSQL database into its password file (~/.pgpass) "
            "or a service file."
        )


def snapshot(connection: str, select: str, path: Path) -> None:
    """Write the rows of a SELECT to a Parquet file, as they were when the first was read."""
    psycopg = _psycopg()
    copy = path.with_suffix(".csv")
    try:
        with psycopg.connect(connection, client_encoding="UTF8") as connected:
            connected.read_only = True
            connected.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            names, types = _columns(connected, select)
            # The query stands on lines of its own, so that a comment at its end does not swallow the parenthesis.
            statement = f"COPY (\n{select}\n) TO STDOUT (FORMAT csv, NULL '{_NULL}')".encode()
            with connected.cursor() as cursor, copy.open("wb") as stream, cursor.copy(statement) as rows:
                for block in rows:
                    stream.write(block)
    except psycopg.OperationalError as error:
        raise DataError(_unreachable(error)) from None
    except psycopg.Error:
        raise DataError("the rows of the PostgreSQL database cannot be read; the query failed on a value.") from None
    _to_parquet(copy, names, types, path)
    copy.unlink()


def _columns(connected: Any, select: str) -> tuple[list[str], list[str]]:
    """The names of the columns of a SELECT and their types in DuckDB."""
    psycopg = _psycopg()
    try:
        found = connected.execute(f"SELECT * FROM (\n{select}\n) AS rows LIMIT 0".encode(), prepare=True).description
    except psycopg.OperationalError:
        raise
    except psycopg.Error:
        raise no_select() from None
    names = [column.name for column in found]
    demand_different(names)
    return names, [_duckdb_type(connected, column) for column in found]


def _duckdb_type(connected: Any, column: Any) -> str:
    known = connected.adapters.types.get(column.type_code)
    name = "" if known is None else known.name
    if name == "numeric":
        precise = column.precision is not None and column.precision <= _WIDEST and (column.scale or 0) >= 0
        return f"DECIMAL({column.precision}, {column.scale or 0})" if precise else "DOUBLE"
    return _TYPES.get(name, "VARCHAR")


def _to_parquet(copy: Path, names: Sequence[str], types: Sequence[str], path: Path) -> None:
    """Store the copied rows with their types."""
    columns = ", ".join(f"{_sql(name)}: {_sql(kind)}" for name, kind in zip(names, types, strict=True))
    options = f"header = false, auto_detect = false, nullstr = '{_NULL}', allow_quoted_nulls = false, delim = ','"
    with duckdb.connect(config={"memory_limit": _MEMORY, "temp_directory": str(copy.parent)}) as connection:
        try:
            connection.execute(
                f"COPY (SELECT * FROM read_csv({_sql(str(copy))}, columns = {{{columns}}}, {options}, quote = '\"', "
                f"escape = '\"')) TO {_sql(str(path))} (FORMAT parquet)"
            )
        except duckdb.Error:
            raise DataError(
                "a value of the PostgreSQL database is outside what can be read, such as a numeric NaN; CAST its "
                "column in a query."
            ) from None


def _unreachable(error: Any) -> str:
    if error.sqlstate is not None:
        return "the PostgreSQL database ended the connection while rows were read."
    return "the PostgreSQL database cannot be reached, or refuses the connection; try it with psql."


def _sql(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError:
        raise UsageError("PostgreSQL databases need psycopg; install sfumato[postgres].") from None
    return psycopg
