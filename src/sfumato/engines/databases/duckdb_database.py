"""Rows and tables of a DuckDB database. Rows are read by a connection that can do nothing else."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.engines.databases.base import StagedTables, demand_different, no_select, quoted_column
from sfumato.errors import DataError

_BATCH = 100_000


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


class DuckdbTables(StagedTables):
    """Tables of a DuckDB database."""

    label = "DuckDB"

    def _begin(self) -> None:
        self._is_new = not Path(self._place).exists()
        self._connection = duckdb.connect(self._place)
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("BEGIN")

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

    def _replace(self, staged: str, table: str) -> None:
        self._connection.execute(f"DROP TABLE IF EXISTS {self._quoted(table)}")
        name = quoted_column(table.rpartition(".")[2])
        self._connection.execute(f"ALTER TABLE {self._quoted(staged)} RENAME TO {name}")

    def _can_run(self, select: str) -> bool:
        try:
            self._execute(f"EXPLAIN {select}")
        except duckdb.CatalogException:
            return False
        return True

    def _execute(self, statement: str) -> None:
        self._connection.execute(statement)

    def _commit(self) -> None:
        self._connection.execute("COMMIT")
        self._is_new = False

    def _close(self) -> None:
        self._connection.close()
        if self._is_new:
            Path(self._place).unlink(missing_ok=True)

    def _failures(self) -> tuple[type[Exception], ...]:
        return (duckdb.Error, pa.ArrowException)

    def _why(self, error: Exception) -> str:
        if isinstance(error, duckdb.IOException):
            return "another process has it open, it is no DuckDB database, or its folder is not writable."
        if isinstance(error, duckdb.CatalogException):
            return "it has no such schema, or the name is one of a view."
        if isinstance(error, duckdb.DependencyException):
            return "something in it depends on the table."
        return "it refuses the rows."
