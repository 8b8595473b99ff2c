"""Opens an engine over files and frames.

Modules outside this folder open sources through these functions and use only the contract in `engines.base`, so that
another engine can replace DuckDB.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.engines.base import Engine, LinkedFiles
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.engines.readable_files import ReadableFile
from sfumato.errors import UsageError, nearest

if TYPE_CHECKING:
    from sfumato.engines.duckdb.engine import DuckdbEngine


ENGINES = ("duckdb",)
"""The names of the engines; the first one is the default."""


def open_file(path: str | Path | ReadableFile, options: ReadOptions = DETECTED, *, engine: str = ENGINES[0]) -> Engine:
    """An engine over a file; a `ReadableFile` has its options already."""
    return _implementation(engine).over_file(path, options)


def open_frame(frame: Any, *, engine: str = ENGINES[0]) -> Engine:
    """An engine over a frame: pandas, polars, pyarrow, or anything with `__arrow_c_stream__`."""
    return _implementation(engine).over_frame(frame)


def open_linked(files: LinkedFiles) -> Engine:
    """An engine over the files of one release: records, sensitive values of their buckets, and originals."""
    from sfumato.engines.duckdb.linked_sources import joined

    return joined(files)


def columns_of(path: str | Path | ReadableFile, options: ReadOptions = DETECTED) -> tuple[str, ...]:
    """The columns of a file, without reading its records."""
    from sfumato.engines.duckdb.files import opened

    return tuple(opened(path, options).columns)


def _implementation(engine: str) -> type[DuckdbEngine]:
    if engine not in ENGINES:
        raise UsageError(f"there is no engine {engine!r}; {nearest(engine, ENGINES)}")
    from sfumato.engines.duckdb.engine import DuckdbEngine

    return DuckdbEngine
