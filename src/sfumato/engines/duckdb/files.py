"""Opens a file for DuckDB, whatever its format."""

from __future__ import annotations

from pathlib import Path

from sfumato.engines.duckdb.file_format import FileFormat
from sfumato.engines.duckdb.parquet_files import parquet_format
from sfumato.engines.duckdb.text_files import text_format
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.engines.readable_files import ReadableFile, readable


def opened(given: str | Path | ReadableFile, options: ReadOptions = DETECTED) -> FileFormat:
    """Detect the format and the columns of a file; raises an error if it is unreadable or has a column twice."""
    file = readable(given, options)
    return parquet_format(file) if file.typed else text_format(file)
