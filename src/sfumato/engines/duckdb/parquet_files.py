"""Parquet files: their columns and number of records, and how DuckDB reads them."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.engines.base import stored_index
from sfumato.engines.duckdb.file_format import FileFormat, quoted
from sfumato.engines.formats.column_names import check_names
from sfumato.engines.readable_files import ReadableFile
from sfumato.errors import DataError


def parquet_format(file: ReadableFile) -> FileFormat:
    """How DuckDB reads a Parquet file; raises an error for a file that is incomplete."""
    try:
        metadata = pq.read_metadata(file.path)
    except (pa.ArrowException, OSError):
        raise DataError(f"{file.described} cannot be read: it is no complete Parquet file.") from None
    schema = metadata.schema.to_arrow_schema()
    check_names(schema.names, file.described)
    return FileFormat(
        file,
        tuple(schema.names),
        f"read_parquet({quoted(str(file.path.absolute()))})",
        index_columns=stored_index(schema.names, schema.metadata),
        rows=metadata.num_rows,
    )
