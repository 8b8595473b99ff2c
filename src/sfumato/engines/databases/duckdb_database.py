"""Rows and tables of a DuckDB database. Rows are read by a connection that can do nothing else."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.engines.databases.base import MARK, FileTables, demand_different, no_select
from sfumato.errors import DataError
from sfumato.runtime.private_folders import PrivateFolder

_BATCH = 100_000
_STAGED = "sfumato_staged"
"""The name of the database with rows that are not judged yet."""


def snapshot(database: str, select: str, folder: Path) -> None:
    """Write the rows of a SELECT to a Parquet file in a folder.

    The connection reads this database, no files and no network.
    """
    try:
        connection = duckdb.connect(database, read_only=True)
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
        self._connection = duckdb.connect(self._file())
        self._execute(f"ATTACH '{str(self._aside.path / 'staged.duckdb').replace(chr(39), chr(39) * 2)}' AS {_STAGED}")
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
        self._connection.execute(f"INSERT INTO {self._quoted(staged)} SELECT * FROM rows")
        self._connection.unregister("rows")

    def _read_back(self, staged: str, stored: Path) -> None:
        _write(self._connection.sql(f"SELECT * FROM {self._quoted(staged)}").to_arrow_reader(_BATCH), stored)

    def _refused_name(self, table: str) -> str:
        if table.count(".") > 1:  # a name of this database in front would hide whose table it is
            return "a table is named by its schema and its name."
        return super()._refused_name(table)

    def _is_replaceable(self, table: str) -> bool:
        schema, _, name = table.rpartition(".")
        place = [schema or "main", name]
        views, tables = (
            self._connection.execute(
                f"SELECT comment FROM duckdb_{kind}s() WHERE database_name = current_database() "
                f"AND lower(schema_name) = lower(?) AND lower({kind}_name) = lower(?)",
                place,
            ).fetchall()
            for kind in ("view", "table")
        )
        return not views and all(comment == MARK for (comment,) in tables)

    def _replace(self, staged: str, table: str) -> None:
        if not self._begun:
            self._execute("BEGIN")
            self._begun = True
        new = self._quoted(table)
        self._execute(f"DROP TABLE IF EXISTS {new}")
        self._execute(f"CREATE TABLE {new} AS FROM {self._quoted(staged)}")
        self._execute(f"COMMENT ON TABLE {new} IS '{MARK}'")

    def _beside(self, table: str, name: str) -> str:
        return f"{_STAGED}.main.{name}"

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
        if isinstance(error, duckdb.IOException):
            return "another process has it open, it is no DuckDB database, or its folder is not writable."
        if isinstance(error, duckdb.CatalogException):
            return "it has no such schema."
        if isinstance(error, duckdb.DependencyException):
            return "something in it depends on the table."
        return "it refuses the rows."
