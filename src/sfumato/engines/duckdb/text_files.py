"""Text files: the separator and the names of the columns of a CSV file, and how DuckDB reads it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from contextlib import suppress

from sfumato.data.domain import position
from sfumato.data.kinds import Kind
from sfumato.engines.duckdb.file_format import FileFormat, check_names, quoted
from sfumato.engines.readable_files import SET_ENCODING, ReadableFile
from sfumato.errors import DataError

_SEPARATORS = (",", ";", "\t", "|")
_HEAD = 65_536
"""Characters that are read to detect the header and the separator."""
_YEAR = re.compile(r"(19|20)\d\d")


def text_format(file: ReadableFile) -> FileFormat:
    """How DuckDB reads a text file in UTF-8.

    Nothing is detected from values, so that all records are read alike: every value is a text, and a row with another
    number of values is an error.
    """
    head, options = _head(file), file.options
    separator = options.separator or _separator(head)
    first = next(csv.reader(io.StringIO(head, newline=""), delimiter=separator), [])
    names = first
    if options.header is False:
        names = [_unnamed(place, ()) for place in range(len(first))]
    elif options.header is None:
        _demand_names(first, file.described)
    without_name = [place for place, name in enumerate(names) if not name]
    names = [name or _unnamed(place, names) for place, name in enumerate(names)]
    check_names(names, file.described)
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
        "columns": "{" + ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(names))) + "}",
    }
    settings = ", ".join(f"{name}={value}" for name, value in given.items())
    return FileFormat(
        file,
        tuple(names),
        f"read_csv({quoted(str(file.path.absolute()))}, {settings})",
        separator=separator,
        index_columns=tuple(names[place] for place in without_name),
    )


def _unnamed(place: int, names: Sequence[str]) -> str:
    """A name for a column that has none: `column1`, with underscores if another column has this name."""
    name = f"column{place + 1}"
    while name in names:
        name += "_"
    return name


def _demand_names(first: Sequence[str], described: str) -> None:
    """Raise an error if the first line of a file looks like a record: names are hardly ever numbers or dates.

    Years may be names, and so may 0, 1, 2, ..., which frames without names are written with.
    """
    counted = [str(place) for place in range(len(first))]
    if list(first) == counted or list(first[1:]) == counted[:-1]:
        return
    values = [
        text
        for text in first
        if not _YEAR.fullmatch(text) and any(position(text, kind) is not None for kind in (Kind.NUMBER, Kind.DATE))
    ]
    if values:
        raise DataError(
            f"the first line of {described} looks like a record: {len(values)} of its {len(first)} values are numbers "
            "or dates. If the file has no names of columns, set [data] header = false, or --no-header on the command "
            "line; if these are names, header = true or --header."
        )


def _head(file: ReadableFile) -> str:
    """The first lines of a file, enough to detect its header and separator."""
    with (
        suppress(UnicodeError),
        file.path.open(encoding="utf-8-sig", newline="") as stream,
    ):  # as a context, it holds the text
        return stream.read(_HEAD)
    raise DataError(f"{file.described} cannot be read: its text is not in utf-8; {SET_ENCODING}")


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
