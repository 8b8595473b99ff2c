"""Rows and tables of a PostgreSQL database, copied out in one read-only snapshot and in within one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from select import select as wait_for
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.engines.databases.base import (
    MARK,
    REFUSED,
    StagedTables,
    demand_different,
    no_select,
    quoted_column,
)
from sfumato.errors import DataError, OutputError, UsageError
from sfumato.runtime.read_ahead import ahead

_TYPES = {
    "bool": "BOOLEAN", "date": "DATE", "float4": "DOUBLE", "float8": "DOUBLE", "int2": "BIGINT", "int4": "BIGINT",
    "int8": "BIGINT", "timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMPTZ",
}  # fmt: skip
"""Types that are kept; a numeric keeps its scale, and all other values are read as texts."""
_STORED = {
    "bool": "boolean", "date32[day]": "date", "double": "double precision", "float": "real", "int16": "smallint",
    "int32": "integer", "int64": "bigint", "int8": "smallint", "large_string": "text", "string": "text",
    "time64[us]": "time", "uint16": "integer", "uint32": "bigint", "uint64": "numeric(20)", "uint8": "smallint",
}  # fmt: skip
"""Types of tables that are written."""
_PRIVILEGES = """
    SELECT acl.privilege_type, pg_roles.rolname
    FROM pg_class, aclexplode(relacl) AS acl LEFT JOIN pg_roles ON pg_roles.oid = acl.grantee
    WHERE pg_class.oid = to_regclass(%s) AND acl.grantee <> relowner
"""
"""What others than the owner may do with a table; no name stands for everybody."""
_REPLACEABLE = """
    SELECT relkind = 'r' AND NOT relispartition AND NOT relhassubclass
        AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = pg_class.oid)
        AND obj_description(pg_class.oid, 'pg_class') IS NOT DISTINCT FROM %s
    FROM pg_class WHERE oid = to_regclass(%s)
"""
"""Whether what has a name is a table that a publication wrote."""
_IDENTITY = """
    SELECT pg_class.oid
    FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = %s AND relname = %s AND relkind = 'r' AND relpersistence = 'p' AND NOT relispartition
        AND pg_catalog.obj_description(pg_class.oid, 'pg_class') = %s
"""
"""The number of a permanent table that a publication wrote, by its schema and its name."""
_LONGEST = 63
"""Bytes of a name; PostgreSQL cuts longer ones, and takes them for others."""
_SETTINGS = ("SET datestyle = 'ISO'", "SET extra_float_digits = 1", "SET intervalstyle = 'postgres'")
"""How values are written, whatever is set for the user or the database."""
_ROW_SECURITY = "SELECT relrowsecurity FROM pg_class WHERE oid = to_regclass(%s)"
_PATIENCE = "60s"
"""How long a table that other sessions use is waited for."""
_ENDED = "it ended the connection."
_UNREACHABLE = "it cannot be reached, or refuses the connection; try it with psql."
_REASONS = {
    "08": _ENDED,
    "25006": "its sessions can only read, as those of a standby.",
    "2BP01": "something in it, such as a view, depends on the table.",
    "3F000": "it has no such schema.",
    "42501": "its user may not do so.",
    "42710": "something else in it, such as a type, has the name of the table.",
    "42809": "the name is not one of a table.",
    "42P07": "something else in it, such as a type, has the name of the table.",
    "40": "other sessions use the table.",
    "53": "it has too little memory, or too many connections.",
    "53100": "its disk is full.",
    "54011": "the table has more columns than a table of it can have.",
    "55P03": "other sessions use the table.",
    "57014": "it stopped the statement, by a time limit or on request.",
    "57P": _ENDED,
}
"""What is wrong, by the state of SQL that PostgreSQL reports, or by its first characters."""
_BLOCK = 1 << 20
_PIECE = 1 << 25
"""Bytes of lines that are converted at a time."""
_ROWS = 1 << 17
"""Rows that are converted at a time."""
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


def identity(connection: str) -> tuple[object, ...]:
    """What tells a database from all others, however it is reached: the start of its server and its name."""
    started = "SELECT extract(epoch FROM pg_postmaster_start_time())::text, current_database()"
    try:
        with _connected(connection) as connected:
            return tuple(connected.execute(started).fetchone())
    except _psycopg().Error as error:
        raise DataError(_unreachable(error)) from None


def snapshot(connection: str, select: str, folder: Path) -> None:
    """Write the rows of a SELECT to Parquet files in a folder, as they were when the first was read."""
    psycopg = _psycopg()
    try:
        with _connected(connection) as connected:
            connected.read_only = True
            connected.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            _copy(connected, select, folder)
    except psycopg.OperationalError as error:
        raise DataError(_unreachable(error)) from None
    except psycopg.Error:
        raise DataError("the rows of the PostgreSQL database cannot be read; the query failed on a value.") from None


def _connected(connection: str) -> Any:
    """A connection outside any transaction, which writes values in one way."""
    psycopg = _psycopg()
    connected = psycopg.connect(connection, client_encoding="UTF8")
    for setting in _SETTINGS:
        connected.execute(setting)
    connected.commit()
    return connected


def _copy(connected: Any, select: str, folder: Path) -> None:
    """Write the rows of a SELECT to Parquet files; while the server sends more, another thread converts the first."""
    names, types = _columns(connected, select)
    # The query stands on lines of its own, so that a comment at its end does not swallow the parenthesis. A line of one
    # column could be empty, and would be overlooked, so it gets a second one.
    more = ", 0" if len(names) == 1 else ""
    asked = f"SELECT *{more} FROM (\n{select}\n) AS rows"
    rows = _copy_out(connected, f"COPY ({asked}) TO STDOUT (FORMAT csv, NULL '{_NULL}')")
    with ThreadPoolExecutor(max_workers=1) as background:
        parts = [background.submit(_to_parquet, path, names, types) for path in _pieces(rows, folder)]
        for part in parts:
            part.result()


def _pieces(rows: Iterator[memoryview], folder: Path) -> Iterator[Path]:
    """Write lines to files of about so many bytes, at least one; each is given away when it is complete."""
    more, number = True, 0
    while more:
        path, size, more, number = folder / f"part-{number:05}.csv", 0, False, number + 1
        with path.open("wb") as stream:
            for row in rows:
                size += stream.write(row)
                if size >= _PIECE:
                    more = True
                    break
        yield path


def _copy_out(connected: Any, statement: str) -> Iterator[memoryview]:
    """All rows of a COPY as lines; each is valid until the next.

    Here and in `_copy_in`, libpq is called directly. psycopg asks for each row in Python whether it may have to wait,
    which takes three times as long; and it sends nothing before all rows are written, which takes their size in memory.
    """
    libpq = connected.pgconn
    for _ in _copying(connected, statement):
        while (received := libpq.get_copy_data(1))[0] >= 0:
            size, row = received
            if size:
                yield row
            else:
                _wait(libpq)


def _copy_in(connected: Any, statement: str, paths: Iterator[Path]) -> None:
    """Send the lines of files to a COPY, and remove the files."""
    libpq = connected.pgconn
    for _ in _copying(connected, statement):
        for path in paths:
            with path.open("rb") as stream:
                while block := stream.read(_BLOCK):
                    while not libpq.put_copy_data(block):
                        _flush(libpq)
                    _flush(libpq)
            path.unlink()
        libpq.put_copy_end()
        _flush(libpq)


def _copying(connected: Any, statement: str) -> Iterator[None]:
    """Start a COPY, stop where its rows go out or in, and raise the error with which it ends.

    If it does not come to its end, the connection is closed: psycopg would find it busy, and print why.
    """
    libpq, psycopg = connected.pgconn, _psycopg()
    status, failure, done = psycopg.pq.ExecStatus, None, False
    try:
        libpq.send_query(statement.encode())
        _flush(libpq)
        while not done:
            while libpq.is_busy():
                _wait(libpq)
            found = libpq.get_result()
            if found is None:
                done = True
            elif found.status in (status.COPY_OUT, status.COPY_IN):
                yield
            elif found.status != status.COMMAND_OK:
                failure = found
    finally:
        if not done:
            connected.close()
    if failure is not None:
        raise psycopg.errors.error_from_result(failure)


def _wait(libpq: Any) -> None:
    """Wait for what the server sends next; an interrupt ends it."""
    wait_for([libpq.socket], [], [])
    libpq.consume_input()


def _flush(libpq: Any) -> None:
    """Send what is not sent yet; what the server sends meanwhile is read, so that neither waits for the other."""
    while libpq.flush():
        readable, _, _ = wait_for([libpq.socket], [libpq.socket], [])
        if readable:
            libpq.consume_input()


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


def _to_parquet(copy: Path, names: Sequence[str], types: Sequence[str]) -> None:
    """Store copied rows with their types, in a file beside, and remove the copy."""
    moments = {name for name, kind in zip(names, types, strict=True) if kind.startswith(("DATE", "TIMESTAMP"))}
    read_as = {name: "VARCHAR" if name in moments else kind for name, kind in zip(names, types, strict=True)}
    if len(names) == 1:
        read_as[names[0] + "_"] = "VARCHAR"
    columns = ", ".join(f"{_sql(name)}: {_sql(kind)}" for name, kind in read_as.items())
    shown = ", ".join(map(_value, names, types))
    options = f"header = false, auto_detect = false, nullstr = '{_NULL}', allow_quoted_nulls = false, delim = ','"
    read = f"read_csv({_sql(str(copy))}, columns = {{{columns}}}, {options}, quote = '\"', escape = '\"')"
    with duckdb.connect(config={"memory_limit": _MEMORY, "temp_directory": str(copy.parent)}) as connection:
        try:
            connection.execute(f"COPY (SELECT {shown} FROM {read}) TO {_sql(str(copy.with_suffix('.parquet')))}")
        except duckdb.Error:
            raise DataError(
                "a value of the PostgreSQL database is outside what can be read, such as a numeric NaN or a day before "
                "our era; CAST its column in a query."
            ) from None
    copy.unlink()


def _value(name: str, kind: str) -> str:
    """The value of a copied column; days before our era, which DuckDB would take for others, are refused."""
    column = quoted_column(name)
    if not kind.startswith(("DATE", "TIMESTAMP")):
        return column
    return f"CASE WHEN {column} LIKE '%BC' THEN error('') ELSE CAST({column} AS {kind}) END AS {column}"


def _to_csv(rows: Path) -> Iterator[Path]:
    """The rows of a Parquet file as files of lines."""
    file = pq.ParquetFile(rows)
    with duckdb.connect(config={"memory_limit": _MEMORY, "temp_directory": str(rows.parent)}) as connection:
        for number, batch in enumerate(file.iter_batches(_ROWS)):
            copy = rows.with_name(f"{rows.stem}-{number:05}.csv")
            connection.register("batch", pa.table(batch))
            connection.execute(f"COPY batch TO {_sql(str(copy))} (FORMAT csv, HEADER false, NULLSTR '{_NULL}')")
            connection.unregister("batch")
            yield copy


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


class PostgresTables(StagedTables):
    """Tables of a PostgreSQL database; a table that is replaced leaves its privileges to the new one."""

    label = "PostgreSQL"

    _connection: Any = None

    def _begin(self) -> None:
        self._connection = _connected(self._place)
        # Rows are read back in the order in which they were stored.
        self._execute("SET LOCAL synchronize_seqscans = off")
        self._execute("SET LOCAL max_parallel_workers_per_gather = 0")
        self._execute(f"SET LOCAL lock_timeout = '{_PATIENCE}'")
        # A name without a schema is one of this schema, and never of a later one in the search path.
        (self._schema,) = self._connection.execute("SELECT current_schema()").fetchone()

    def _refused_name(self, table: str) -> str:
        if self._schema is None and "." not in table:
            return "no schema of its search path is there; write one in front, such as public.persons."
        wrong = super()._refused_name(table)
        if wrong:
            return wrong
        schema, name = self._parts(table)
        if max(len(schema.encode()), len(name.encode())) > _LONGEST:
            return f"names in PostgreSQL have at most {_LONGEST} bytes."
        # Without a schema in front, it is the first one of the search path, which may be a temporary one.
        if schema.startswith("pg_") or schema == "information_schema":
            return f"the schema {schema!r} is PostgreSQL's own, or temporary; write another one in front of the name."
        return ""

    def _is_replaceable(self, table: str) -> bool:
        return self._connection.execute(_REPLACEABLE, [MARK, self._quoted(table)]).fetchone() in (None, (True,))

    def _identity(self, table: str) -> object | None:
        found = self._connection.execute(_IDENTITY, [*self._parts(table), MARK]).fetchone()
        return None if found is None else found[0]

    def _column_type(self, kind: pa.DataType) -> str | None:
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if pa.types.is_decimal(kind):
            return f"numeric({kind.precision}, {kind.scale})"
        if pa.types.is_timestamp(kind):
            return "timestamp" if kind.tz is None else "timestamptz"
        return _STORED.get(str(kind))

    def _load(self, staged: str, rows: Path) -> None:
        statement = f"COPY {staged} FROM STDIN (FORMAT csv, NULL '{_NULL}')"
        _copy_in(self._connection, statement, ahead(_to_csv(rows)))

    def _read_back(self, staged: str, stored: Path) -> None:
        _copy(self._connection, f"SELECT * FROM {staged}", stored)

    def _replace(self, staged: str, table: str) -> None:
        old = self._quoted(table)
        self._take_over_privileges(staged, old)
        self._execute(f"DROP TABLE IF EXISTS {old}")
        self._execute(f"ALTER TABLE {staged} RENAME TO {quoted_column(self._parts(table)[-1])}")
        self._execute(f"COMMENT ON TABLE {old} IS '{MARK}'")

    def _take_over_privileges(self, new: str, old: str) -> None:
        """Let others do with the new table what they may do with the old one, and no more."""
        found = self._connection.execute(_ROW_SECURITY, [old]).fetchone()
        if found is None:
            return
        if found == (True,):
            raise OutputError(
                "the table of [output] has row security, which the new one would not have; drop it, or name another "
                "one. It is kept."
            )
        for privilege, whom in self._privileges(new):
            self._execute(f"REVOKE {privilege} ON {new} FROM {whom}")
        for privilege, whom in self._privileges(old):
            self._execute(f"GRANT {privilege} ON {new} TO {whom}")

    def _privileges(self, table: str) -> list[tuple[str, str]]:
        """What others than the owner may do with a table."""
        found = self._connection.execute(_PRIVILEGES, [table]).fetchall()
        return [(privilege, "PUBLIC" if name is None else quoted_column(name)) for privilege, name in found]

    def _can_run(self, select: str) -> bool:
        try:
            self._execute(f"EXPLAIN {select}")
        except _psycopg().errors.UndefinedTable:
            return False
        return True

    def _execute(self, statement: str) -> None:
        self._connection.execute(statement.encode())

    def _commit(self) -> None:
        self._connection.commit()

    def _close(self) -> None:
        self._connection.close()

    def _failures(self) -> tuple[type[Exception], ...]:
        return (_psycopg().Error,)

    def _why(self, error: Exception) -> str:
        state = getattr(error, "sqlstate", None)
        if state is not None:
            return next((_REASONS[part] for part in (state, state[:3], state[:2]) if part in _REASONS), REFUSED)
        if not isinstance(error, (_psycopg().OperationalError, _psycopg().InterfaceError)):
            return REFUSED
        return _UNREACHABLE if self._connection is None else _ENDED
