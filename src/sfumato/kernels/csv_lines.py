"""Lines of text from columns of texts: a value is quoted only where it must be, a suppressed record is all `*`.

Columns are gone through one after the other, a few thousand rows at a time, so that the lines in the making stay in the
processor's cache: first how long every line will be, then every cell into its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int32]
Lengths = NDArray[np.int64]
Mask = NDArray[np.bool_]

QUOTE, NEWLINE, RETURN, STAR, SPACE = 34, 10, 13, 42, 32


@compiled
def _extra(data: Bytes, start: int, stop: int, separator: int) -> int:
    """How many bytes quoting adds to a value; 0 if it needs none."""
    quotes, special = 0, False
    for at in range(start, stop):
        byte = data[at]
        if byte == QUOTE:
            quotes += 1
        elif byte == separator or byte == NEWLINE or byte == RETURN:
            special = True
    if stop > start and (data[start] == SPACE or data[stop - 1] == SPACE):
        special = True
    return quotes + 2 if special or quotes else 0


@compiled
def extras(offsets: Offsets, data: Bytes, separator: int) -> Offsets:
    """How many bytes quoting adds to each text."""
    found = np.empty(len(offsets) - 1, dtype=np.int32)
    for text in range(len(found)):
        found[text] = _extra(data, offsets[text], offsets[text + 1], separator)
    return found


@compiled
def add_lengths(offsets: Offsets, extra: Offsets, index: Offsets, suppressed: Mask, lengths: Lengths) -> None:
    """Add the length of one column's cells, and of the byte after each, to their lines."""
    for row in range(len(index)):
        text = index[row]
        lengths[row] += 2 if suppressed[row] else offsets[text + 1] - offsets[text] + extra[text] + 1


@compiled
def _quoted(data: Bytes, start: int, stop: int, lines: Bytes, at: int) -> int:
    lines[at] = QUOTE
    at += 1
    for source in range(start, stop):
        if data[source] == QUOTE:
            lines[at] = QUOTE
            at += 1
        lines[at] = data[source]
        at += 1
    lines[at] = QUOTE
    return at + 1


@compiled
def put_cells(
    offsets: Offsets,
    data: Bytes,
    extra: Offsets,
    index: Offsets,
    suppressed: Mask,
    after: int,
    lines: Bytes,
    cursor: Lengths,
) -> None:
    """Write one column's cells and the byte after each of them, and move every line's cursor on."""
    for row in range(len(index)):
        at, text = int(cursor[row]), index[row]
        start, length = int(offsets[text]), int(offsets[text + 1] - offsets[text])
        if suppressed[row]:
            lines[at] = STAR
            at += 1
        elif extra[text] > 0:
            at = _quoted(data, start, start + length, lines, at)
        else:
            for step in range(length):
                lines[at + step] = data[start + step]
            at += length
        lines[at] = after
        cursor[row] = at + 1


class Texts(NamedTuple):
    """A column: distinct texts as offsets into bytes, and which text each row has."""

    offsets: Offsets
    data: Bytes
    which: Offsets


def joined(columns: list[Texts], suppressed: Mask, separator: int, *, chunk: int = 8192) -> Iterator[Bytes]:
    """The lines of all rows, in pieces."""
    extra = [extras(column.offsets, column.data, separator) for column in columns]
    for first in range(0, len(suppressed), chunk):
        rows = slice(first, min(first + chunk, len(suppressed)))
        yield _piece(columns, extra, rows, suppressed[rows], separator)


def _piece(columns: list[Texts], extra: list[Offsets], rows: slice, suppressed: Mask, separator: int) -> Bytes:
    lengths = np.zeros(len(suppressed), dtype=np.int64)
    for column, more in zip(columns, extra, strict=True):
        add_lengths(column.offsets, more, column.which[rows], suppressed, lengths)
    cursor = np.cumsum(lengths) - lengths
    lines = np.empty(int(lengths.sum()), dtype=np.uint8)
    for place, (column, more) in enumerate(zip(columns, extra, strict=True)):
        after = NEWLINE if place == len(columns) - 1 else separator
        put_cells(column.offsets, column.data, more, column.which[rows], suppressed, after, lines, cursor)
    return lines


def joined_plain(columns: list[list[str]], suppressed: list[bool], separator: str) -> str:
    """The same with the standard library, cell by cell."""
    lines = []
    for row, gone in enumerate(suppressed):
        cells = ["*" if gone else _cell(column[row], separator) for column in columns]
        lines.append(separator.join(cells) + "\n")
    return "".join(lines)


def _cell(text: str, separator: str) -> str:
    special = any(mark in text for mark in (separator, '"', "\n", "\r")) or text != text.strip(" ")
    return '"' + text.replace('"', '""') + '"' if special else text
