"""Folders of Parquet files: which files they have, and what they must have in common."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.errors import DataError

ENDINGS = (".parquet", ".pq")
_NONE = "__HIVE_DEFAULT_PARTITION__"
"""The name of a folder for a missing value."""


def parts_of(folder: Path, described: str) -> tuple[Path, ...]:
    """The Parquet files below a folder in the order of their paths; names that begin with `.` or `_` are left out."""
    if any(path.is_symlink() and path.is_dir() for path in folder.rglob("*")):
        raise DataError(f"{described} has links to other folders, which are not followed; put the files there.")
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS and path.is_file())
    parts = tuple(path for path in found if not _is_hidden(path.relative_to(folder)))
    if not parts:
        raise DataError(f"{described} has no Parquet files ({', '.join(ENDINGS)}).")
    return parts


def common_schema(parts: Sequence[Path], described: str) -> tuple[pa.Schema, int]:
    """The schema that all files have, and the number of their records; raises an error if one is damaged or differs."""
    first: pa.Schema | None = None
    rows = 0
    for part in parts:
        try:
            metadata = pq.read_metadata(part)
        except (pa.ArrowException, OSError):
            which = f"; its file is {part.name!r}" if len(parts) > 1 else ""
            raise DataError(f"{described} cannot be read: it is no complete Parquet file{which}.") from None
        schema = metadata.schema.to_arrow_schema()
        first, rows = first or schema, rows + metadata.num_rows
        if not schema.equals(first):
            raise DataError(
                f"{described} has files with different columns: {part.name!r} has not the names and types of "
                f"{parts[0].name!r}. Write them with the same columns in the same order."
            )
    return first or pa.schema([]), rows


def partitions_of(folder: Path, parts: Sequence[Path], described: str) -> dict[str, list[str | None]]:
    """The columns in the names of folders, as in `year=2024/part.parquet`, with the value of every file.

    Only folders below the given one count; all files have the same columns.
    """
    steps = [[step.partition("=") for step in part.relative_to(folder).parts[:-1]] for part in parts]
    found = [[(name, value) for name, equals, value in one if equals] for one in steps]
    names = [[unquote(name) for name, _ in one] for one in found]
    if any(one != names[0] or len(set(one)) < len(one) for one in names):
        raise DataError(f"{described} has files in folders that are named after different columns, such as year=2024.")
    columns = zip(*([value for _, value in one] for one in found), strict=True)
    return {
        name: [None if value == _NONE else unquote(value) for value in values]
        for name, values in zip(names[0], columns, strict=True)
    }


def _is_hidden(path: Path) -> bool:
    return any(step[0] in "._" for step in path.parts)
