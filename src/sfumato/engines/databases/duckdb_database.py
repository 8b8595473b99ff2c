"""Rows and tables of a DuckDB database. Rows are read by a connection that can do nothing else."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.engines.databases.base import MARK, REFUSED, FileTables, demand_different, no_select, quoted_column
from sfumato.errors import DataError
from sfumato.runtime.atomic_files import reason
from sfumato.runtime.private_folders import PrivateFolder

_BATCH = 100_000
_SYSTEM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EROFS)
"""Errors of the system that DuckDB repeats in its own."""
_SQLITE = b"SQLite format 3\0"
"""How files of SQLite begin."""
_NO_DATABASE = "not a valid DuckDB database"
_SAID = {
    "Could not set lock": "another process has it open.",
    _NO_DATABASE: "the file is no DuckDB database.",
}
"""What is wrong, by what DuckDB says in an error of which it has no other mark."""


def snapshot(database: str, select: str, folder: Path) -> None:
    """Write the rows of a SELECT to a Parquet file in a folder.

    The connection reads this database, no files and no network.
    """
    try:
        connection = _connected(database, read_only=True)
    except duckdb.Error:
        raise DataError("the DuckDB database cannot be opened: it is none, or another process writes to it.") from None
    with connection:
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        try:
            statements = connection.extract_statements(select)
        except duckdb.Error:
            raise no_select() from None
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise no_select()
        try:
            reader: pa.RecordBatchReader = connection.sql(select).to_arrow_reader(_BATCH)
            demand_different(reader.schema.names)
            _write(reader, folder)
        except (duckdb.CatalogException, duckdb.BinderException, duckdb.PermissionException):
            raise no_select() from None
        except (duckdb.Error, pa.ArrowException):
            raise DataError("the rows of the DuckDB database cannot be read; a value made the query fail.") from None


def _connected(file: str, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """A connection to a file. DuckDB would open one of SQLite too, with an extension from the network."""
    if Path(file).is_file():
        with Path(file).open("rb") as stream:
            if stream.read(len(_SQLITE)) == _SQLITE:
                raise duckdb.IOException(_NO_DATABASE)
    return duckdb.connect(file, read_only=read_only)


def _write(reader: pa.RecordBatchReader, folder: Path) -> None:
    with pq.ParquetWriter(folder / "part-00000.parquet", reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


class DuckdbTables(FileTables):
    """Tables of a DuckDB database.

    New rows are stored in a database of their own until they are judged, because DuckDB keeps rows that are rolled back
    in its file until other rows overwrite them.
    """

    label = "DuckDB"
    _connection: duckdb.DuckDBPyConnection

    def _begin(self) -> None:
        self._begun = False
        self._aside = PrivateFolder()
        self._connection = _connected(self._opened)
        self._database, self._schema = self._connection.execute(
            "SELECT current_database(), current_schema()"
        ).fetchall()[0]
        # The database with rows that are not judged yet has a name that no other one has.
        self._unjudged = f"sfumato_{secrets.token_hex(6)}"
        file = str(self._aside.path / "staged.duckdb").replace("'", "''")
        self._execute(f"ATTACH '{file}' AS {self._unjudged}")
        self._execute("SET enable_external_access = false")

    def _column_type(self, kind: pa.DataType) -> str | None:
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if pa.types.is_nested(kind):
            return None
        try:
            empty = pa.table({"column": pa.nulls(0, kind)})
            return str(duckdb.from_arrow(empty).types[0])
        except (duckdb.Error, pa.ArrowException):
            return None

    def _load(self, staged: str, rows: Path) -> None:
        file = pq.ParquetFile(rows)
        reader = pa.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches(_BATCH))
        self._connection.register("rows", reader)
        self._connection.execute(f"INSERT INTO {staged} SELECT * FROM rows")
        self._connection.unregister("rows")

    def _read_back(self, staged: str, stored: Path) -> None:
        _write(self._connection.sql(f"SELECT * FROM {staged}").to_arrow_reader(_BATCH), stored)

    def _refused_name(self, table: str) -> str:
        wrong = super()._refused_name(table)
        # DuckDB would take the first part for the name of a database, if there is one.
        if not wrong and not self._catalogue("schema_name", "duckdb_schemas()", schema_name=self._parts(table)[0]):
            wrong = "it has no such schema; a table is named by its schema and its name, such as main.persons."
        return wrong

    def _is_replaceable(self, table: str) -> bool:
        schema, name = self._parts(table)
        views = self._catalogue("view_oid", "duckdb_views()", schema_name=schema, view_name=name)
        tables = self._catalogue("table_oid", "duckdb_tables()", schema_name=schema, table_name=name)
        return not views and (not tables or self._number(table) is not None)

    def _number(self, table: str) -> int | None:
        schema, name = self._parts(table)
        ordinary = f"duckdb_tables() WHERE NOT temporary AND NOT internal AND comment = '{MARK}'"
        found = self._catalogue("table_oid", f"(FROM {ordinary})", schema_name=schema, table_name=name)
        return int(found[0]) if found else None

    def _connected_file(self) -> str | None:
        found = self._catalogue("path", "duckdb_databases()")
        return found[0] if found else None

    def _catalogue(self, column: str, listing: str, **names: str) -> list[Any]:
        """A column of a list of what is in this database, with these names: a to z are the same in upper case."""
        folded = "translate({}, '" + f"{ascii_uppercase}', '{ascii_lowercase}')"
        same = [f"{folded.format(name)} = {folded.format('?')}" for name in names]
        asked = f"SELECT {column} FROM {listing} WHERE {' AND '.join(['database_name = ?', *same])}"
        found = self._connection.execute(asked, [self._database, *names.values()]).fetchall()
        return [value for (value,) in found]

    def _quoted(self, table: str) -> str:
        return f"{quoted_column(self._database)}.{super()._quoted(table)}"

    def _replace(self, staged: str, table: str) -> None:
        if not self._begun:
            self._execute("BEGIN")
            self._begun = True
        new = self._quoted(table)
        self._execute(f"DROP TABLE IF EXISTS {new}")
        self._execute(f"CREATE TABLE {new} AS FROM {staged}")
        self._execute(f"COMMENT ON TABLE {new} IS '{MARK}'")

    def _beside(self, table: str, name: str) -> str:
        return f"{self._unjudged}.main.{name}"

    def _can_run(self, select: str) -> bool:
        try:
            self._execute(f"EXPLAIN {select}")
        except duckdb.CatalogException:
            return False
        return True

    def _close(self) -> None:
        super()._close()
        self._aside.close()

    def _failures(self) -> tuple[type[Exception], ...]:
        return (duckdb.Error, pa.ArrowException)

    def _why(self, error: Exception) -> str:
        if isinstance(error, duckdb.DependencyException):
            return "something in it depends on the table."
        if isinstance(error, duckdb.ConnectionException):
            return "this process has it open with other settings; close it."
        if not isinstance(error, (duckdb.OperationalError, duckdb.FatalException)):
            return REFUSED
        said = str(error)
        for code in _SYSTEM:
            if os.strerror(code) in said:
                return reason(OSError(code, os.strerror(code)))
        if isinstance(error, duckdb.OutOfMemoryException):
            return "DuckDB has too little memory."
        otherwise = (
            "the system cannot open, read or write its file." if isinstance(error, duckdb.IOException) else REFUSED
        )
        return next((why for words, why in _SAID.items() if words in said), otherwise)
