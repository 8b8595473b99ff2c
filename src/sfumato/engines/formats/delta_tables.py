"""Delta tables: folders of Parquet files with a log that says which of them a version of the table has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.errors import DataError, UsageError
from sfumato.runtime.atomic_files import reason

_FEATURES = {"timestampNtz"}
"""Features of readers that are understood."""


def is_delta_table(folder: Path) -> bool:
    """Whether a folder is a Delta table."""
    return (folder / "_delta_log").is_dir()


def copy_delta_table(folder: Path, described: str, copy: Path) -> int:
    """Write the current version of a Delta table to a Parquet file, its files in the order of their paths.

    Returns the number of the version. All records come from it, also if the table changes meanwhile.
    """
    from pyarrow.dataset import FileSystemDataset

    with _reading(described):
        table = _opened(folder, None)
        _demand_plain(table)
        found = table.to_pyarrow_dataset()
        parts = sorted(found.get_fragments(), key=lambda part: part.path)
        current = FileSystemDataset(parts, found.schema, found.format, found.filesystem)
        with pq.ParquetWriter(copy, found.schema) as writer:
            for batch in current.to_batches():
                writer.write_batch(batch)
        return int(table.version())


def _demand_plain(table: Any) -> None:
    """Raise an error for features that the reader would overlook, such as columns with other names in the files."""
    protocol = table.protocol()
    features = set(protocol.reader_features or ())
    if protocol.min_reader_version not in (1, 3) or features - _FEATURES:
        raise ValueError


def parts_of_delta_table(folder: Path, version: int, described: str) -> tuple[Path, ...]:
    """The files of a version of a Delta table, in the order of their paths."""
    with _reading(described):
        return tuple(sorted(map(Path, _opened(folder, version).file_uris())))


def _opened(folder: Path, version: int | None) -> Any:
    from deltalake import DeltaTable

    return DeltaTable(str(folder.resolve()), version=version)


@contextmanager
def _reading(described: str) -> Iterator[None]:
    """Replace errors of the libraries, which may quote values, by errors that say what to do."""
    try:
        from deltalake.exceptions import DeltaError
    except ImportError:
        raise UsageError("Delta tables need deltalake; install sfumato[formats].") from None
    try:
        yield
        return
    except FileNotFoundError:
        why = "one of its files is gone"
    except OSError as error:
        why = "it is damaged" if error.errno is None else reason(error).rstrip(".")
    except (DeltaError, pa.ArrowException, ValueError):
        why = "it is damaged, or uses what cannot be read, such as deletion vectors or mapped columns"
    raise DataError(f"{described} is a Delta table that cannot be read: {why}. Write its current version as Parquet.")
