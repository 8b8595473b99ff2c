"""File formats: the columns, the dialect and the DuckDB reader of a CSV or Parquet file."""

from __future__ import annotations

import codecs
import csv
import io
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.engines.base import PARQUET, is_parquet, stored_index
from sfumato.errors import DataError, SchemaError, UsageError, listed

_TEXT = {".csv", ".tsv", ".txt", ".dat"}
_SEPARATORS = (",", ";", "\t", "|")
_HEAD = 65_536
"""Characters that are read to detect the header and the separator."""
_VALUE = 8
"""Bytes of a value in memory, for an estimate."""
_ENCODINGS = {"utf-8": "utf-8", "utf-16": "utf-16", "latin-1": "latin-1", "iso-8859-1": "latin-1"}


@dataclass(frozen=True)
class FileFormat:
    """A file, the names of its columns, and the DuckDB table function that reads it.

    `untyped` says that all values are texts, as in a CSV file. `rows` is the number of records of a Parquet file.
    """

    path: Path
    columns: tuple[str, ...]
    relation: str
    untyped: bool
    separator: str = ","
    index_columns: tuple[str, ...] = ()
    rows: int = 0

    @property
    def size(self) -> int:
        """The number of bytes of the file, or of its values in memory: Parquet may store millions in some kilobytes."""
        return max(self.path.stat().st_size, _VALUE * self.rows * len(self.columns))


def opened(path: Path, *, separator: str | None = None, encoding: str | None = None) -> FileFormat:
    """Detect the format, columns and dialect of a file; raises an error if it is unreadable or has a column twice."""
    if not path.is_file():
        raise DataError(f"there is no file {str(path)!r}.")
    if path.stat().st_size == 0:
        raise DataError(f"file {path.name!r} is empty.")
    suffix = path.suffix.lower()
    if is_parquet(path):
        return _parquet(path)
    if suffix in _TEXT:
        return _text(path, separator, encoding)
    endings = ", ".join(sorted((*_TEXT, *PARQUET)))
    raise DataError(f"file {path.name!r} has an ending that is not known; save it as CSV or Parquet ({endings}).")


def check_names(names: list[str], described: str) -> None:
    """Raise an error for duplicate and empty column names."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SchemaError(f"{described} has more than one column called {listed(twice)}; rename them.")
    if not names or any(not name for name in names):
        raise SchemaError(f"{described} has a column without a name; give it one.")


def _parquet(path: Path) -> FileFormat:
    try:
        metadata = pq.read_metadata(path)
    except (pa.ArrowException, OSError):
        raise DataError(f"file {path.name!r} cannot be read: it is no complete Parquet file.") from None
    schema = metadata.schema.to_arrow_schema()
    check_names(schema.names, f"file {path.name!r}")
    index = stored_index(schema.names, schema.metadata)
    return FileFormat(
        path,
        tuple(schema.names),
        f"read_parquet({_literal(path)})",
        untyped=False,
        index_columns=index,
        rows=metadata.num_rows,
    )


def _text(path: Path, separator: str | None, encoding: str | None) -> FileFormat:
    encoding = _encoding(path, encoding)
    head = _head(path, encoding)
    separator = separator or _separator(head)
    names = next(csv.reader(io.StringIO(head, newline=""), delimiter=separator), [])
    check_names(names, f"file {path.name!r}")
    # Nothing is detected from values, so that all records are read alike: every
    # value is a text, and a row with another number of values is an error.
    options = [
        f"delim={_quoted(separator)}",
        "quote='\"'",
        "escape='\"'",
        "header=true",
        "all_varchar=true",
        "auto_detect=false",
        f"encoding='{encoding}'",
        "null_padding=false",
        "columns={" + ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(names))) + "}",
    ]
    relation = f"read_csv({_literal(path)}, {', '.join(options)})"
    return FileFormat(path, tuple(names), relation, untyped=True, separator=separator)


def _encoding(path: Path, declared: str | None) -> str:
    if declared is not None:
        if declared.lower() not in _ENCODINGS:
            raise UsageError(f"encoding {declared!r} is not known; use one of {', '.join(_ENCODINGS)}.")
        return _ENCODINGS[declared.lower()]
    with path.open("rb") as stream:
        head = stream.read(4)
    return "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"


def _head(path: Path, encoding: str) -> str:
    """The first lines of a file, enough to detect its header and separator."""
    decoder = "utf-8-sig" if encoding == "utf-8" else encoding
    with suppress(UnicodeError), path.open(encoding=decoder, newline="") as stream:  # as a context, it holds the text
        return stream.read(_HEAD)
    raise DataError(
        f"file {path.name!r} cannot be read: its text is not in {encoding}; set [data] encoding, or --encoding on the "
        "command line, e.g. to latin-1."
    )


def _separator(head: str) -> str:
    """The separator with which most lines have as many values as the header; of several, that with most values."""

    def agreement(separator: str) -> tuple[float, int]:
        lengths = [len(row) for row in csv.reader(io.StringIO(head, newline=""), delimiter=separator) if row][:100]
        if len(lengths) > 2:
            # The last line of the head may be cut off.
            lengths.pop()
        alike = sum(length == lengths[0] for length in lengths) / max(len(lengths), 1)
        return (alike if lengths and lengths[0] > 1 else 0.0, lengths[0] if lengths else 0)

    return max(_SEPARATORS, key=agreement)


def _literal(path: Path) -> str:
    return _quoted(str(path.absolute()))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
