"""Rows of a DuckDB database, read by a connection that can do nothing else."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.engines.databases.base import demand_different, no_select
from sfumato.errors import DataError

_BATCH = 100_000


def snapshot(database: str, select: str, path: Path) -> None:
    """Write the rows of a SELECT to a Parquet file. The connection reads this database, no files and no network."""
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
            _write(reader, path)
        except (duckdb.CatalogException, duckdb.BinderException, duckdb.PermissionException):
            raise no_select() from None
        except (duckdb.Error, pa.ArrowException):
            raise DataError("the rows of the DuckDB database cannot be read; a value made the query fail.") from None


def _write(reader: pa.RecordBatchReader, path: Path) -> None:
    with pq.ParquetWriter(path, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
