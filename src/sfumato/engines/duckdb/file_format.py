"""The format of a file: its columns, and the DuckDB table function that reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.engines.readable_files import ReadableFile

_VALUE = 8
"""Bytes of a value in memory, for an estimate."""


@dataclass(frozen=True)
class FileFormat:
    """A file, the names of its columns, and the DuckDB table function that reads it.

    `index_columns` are columns that tell the order of the records and nothing else: an index that pandas stored, or a
    column without a name. `rows` is the number of records of a Parquet file, and `labels` are the texts that a file of
    a statistics program has for its columns.
    """

    file: ReadableFile
    columns: tuple[str, ...]
    relation: str
    separator: str = ","
    index_columns: tuple[str, ...] = ()
    rows: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def described(self) -> str:
        """What messages call the file."""
        return self.file.described

    @property
    def untyped(self) -> bool:
        """Whether all values are texts, as in a CSV file."""
        return not self.file.typed

    @property
    def size(self) -> int:
        """The number of bytes of the file, or of its values in memory: Parquet may store millions in some kilobytes."""
        return max(self.file.size, _VALUE * self.rows * len(self.columns))


def quoted(text: str) -> str:
    """A text as SQL."""
    return "'" + text.replace("'", "''") + "'"


def exact_path(path: Path) -> str:
    """The path of one file as SQL: DuckDB takes `*`, `?` and `[` in a path for a pattern."""
    return quoted("".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(path.absolute())))
