"""Parquet and CSV files as private tables."""

from __future__ import annotations

from pathlib import Path

from sqlglot import exp

from sfumato.errors import DataError

_READERS = {".parquet": "read_parquet", ".pq": "read_parquet", ".csv": "read_csv", ".tsv": "read_csv"}


def reading(path: Path) -> exp.Table:
    """What DuckDB selects from to read a file; its columns are found anew every time.

    >>> reading(Path("/data/people.csv")).sql("duckdb")
    "READ_CSV('/data/people.csv')"
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(f"file {path.name!r} is neither Parquet nor CSV; it should end in {', '.join(_READERS)}.")
    if set(path.as_posix()) & set("*?[]"):
        raise DataError(f"file {path.name!r} has one of * ? [ ] in its path, which stands for many files.")
    return exp.Table(this=exp.Anonymous(this=reader, expressions=[exp.Literal.string(path.as_posix())]))
