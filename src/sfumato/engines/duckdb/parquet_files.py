"""Parquet files and folders of them: their columns and number of records, and how DuckDB reads them."""

from __future__ import annotations

from sfumato.engines.base import stored_index
from sfumato.engines.duckdb.file_format import FileFormat, quoted
from sfumato.engines.formats.column_names import check_names
from sfumato.engines.formats.parquet_folders import common_schema, partition_columns
from sfumato.engines.readable_files import ReadableFile


def parquet_format(file: ReadableFile) -> FileFormat:
    """How DuckDB reads a Parquet file or a folder of them; raises an error for a file that is incomplete."""
    parts = file.parts or (file.path,)
    schema, rows = common_schema(parts, file.described)
    partitions = partition_columns(file.path, parts, file.described) if file.parts else ()
    names = [*schema.names, *(name for name in partitions if name not in schema.names)]
    check_names(names, file.described)
    listed = ", ".join(quoted(str(part.absolute())) for part in parts)
    return FileFormat(
        file,
        tuple(names),
        f"read_parquet([{listed}], hive_partitioning = {str(bool(partitions)).lower()})",
        index_columns=stored_index(schema.names, schema.metadata),
        rows=rows,
    )
