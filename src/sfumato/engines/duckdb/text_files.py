"""Text files: the separator and the names of the columns of a CSV file, and how DuckDB reads it."""

from __future__ import annotations

import csv
import io
from contextlib import suppress

from sfumato.engines.duckdb.file_format import FileFormat, exact_path, quoted
from sfumato.engines.formats.column_names import ColumnNames
from sfumato.engines.readable_files import SET_ENCODING, ReadableFile
from sfumato.errors import DataError, UsageError

_SEPARATORS = (",", ";", "\t", "|")
_HEAD = 65_536
"""Characters that are read to detect the header and the separator."""


def text_format(file: ReadableFile) -> FileFormat:
    """How DuckDB reads a text file in UTF-8.

    Nothing is detected from values, so that all records are read alike: every value is a text, and a row with another
    number of values is an error.
    """
    head, options = _head(file), file.options
    separator = options.separator or _separator(head)
    if separator in '"\r\n':
        raise UsageError("a separator is one character that is neither a quote nor the end of a line.")
    first = _first_line(head, separator, file.described)
    found = ColumnNames.of(first, options.header, file.described)
    given = {
        "delim": quoted(separator),
        "quote": "'\"'",
        "escape": "'\"'",
        "header": str(options.header is not False).lower(),
        "all_varchar": "true",
        "auto_detect": "false",
        "encoding": "'utf-8'",
        "compression": "'none'",
        "null_padding": "false",
        "columns": "{" + ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(first))) + "}",
    }
    settings = ", ".join(f"{name}={value}" for name, value in given.items())
    return FileFormat(
        file,
        found.names,
        f"read_csv({exact_path(file.path)}, {settings})",
        separator=separator,
        index_columns=found.index_columns,
    )


def _first_line(head: str, separator: str, described: str) -> list[str]:
    with suppress(csv.Error):
        return next(csv.reader(io.StringIO(head, newline=""), delimiter=separator), [])
    raise DataError(f"{described} has a first line with a value that is too long for a name; check its separator.")


def _head(file: ReadableFile) -> str:
    """The first lines of a file, enough to detect its header and separator."""
    with (
        suppress(UnicodeError),
        file.path.open(encoding="utf-8-sig", newline="") as stream,
    ):  # as a context, it holds the text
        head = stream.read(_HEAD)
        while len(head) % _HEAD == 0 and "\n" not in head and (more := stream.read(_HEAD)):
            head += more  # the names of thousands of columns
        return head
    raise DataError(f"{file.described} cannot be read: its text is not in utf-8; {SET_ENCODING}")


def _separator(head: str) -> str:
    """The separator with which most lines have as many values as the header; of several, that with most values."""

    def agreement(separator: str) -> tuple[float, int]:
        lengths: list[int] = []
        with suppress(csv.Error):  # a line without this separator may be longer than a value can be
            lengths = [len(row) for row in csv.reader(io.StringIO(head, newline=""), delimiter=separator) if row][:100]
        if len(lengths) > 2:
            # The last line of the head may be cut off.
            lengths.pop()
        alike = sum(length == lengths[0] for length in lengths) / max(len(lengths), 1)
        return (alike if lengths and lengths[0] > 1 else 0.0, lengths[0] if lengths else 0)

    return max(_SEPARATORS, key=agreement)
