"""CSV lines from columns of texts, written by the sinks of `engines.writing`.

A value is quoted only if it contains the separator, a quote or a line break, starts or ends with a space, or is empty
and the only one of its line. Every cell of a suppressed record is `*`.

Rows are written in chunks of a few thousand, so that the lines of a chunk stay in the processor's cache while the
columns are processed one after the other. A first pass over the columns computes the length of every line, so that a
second pass can copy each cell directly to its position. Both passes cost time linear in the bytes written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.arrays import Flags
from sfumato.kernels.compiled import compiled

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int32]
Lengths = NDArray[np.int64]

QUOTE, NEWLINE, RETURN, STAR, SPACE = 34, 10, 13, 42, 32
BLOCK = 256
"""Texts that are scanned together for bytes that need quotes."""


@compiled
def _quoting_bytes(data: Bytes, start: int, stop: int, separator: int) -> int:
    """The number of bytes that quoting adds to a value: two quotes, and one per quote inside; 0 if it needs none."""
    quotes, special = 0, False
    for at in range(start, stop):
        byte = data[at]
        if byte == QUOTE:
            quotes += 1
        elif byte == separator or byte == NEWLINE or byte == RETURN:
            special = True
    # a reader may strip spaces at the ends of a cell that has no quotes
    if stop > start and (data[start] == SPACE or data[stop - 1] == SPACE):
        special = True
    return quotes + 2 if special or quotes else 0


@compiled
def _needs_no_quotes(data: Bytes, start: int, stop: int, separator: int) -> bool:
    """Whether none of these bytes could make a value need quotes; it reads all of them, without a branch."""
    special = False
    for at in range(start, stop):
        byte = data[at]
        special |= (byte == QUOTE) | (byte == separator) | (byte == NEWLINE) | (byte == RETURN) | (byte == SPACE)
    return not special


@compiled
def quoting_bytes(offsets: Offsets, data: Bytes, separator: int) -> Offsets:
    """The number of bytes that quoting adds to each distinct text, so that no cell is scanned twice.

    Texts are looked at a block at a time, and one by one only in a block that has a byte to be quoted.
    """
    found = np.zeros(len(offsets) - 1, dtype=np.int32)
    for first in range(0, len(found), BLOCK):
        last = min(first + BLOCK, len(found))
        if _needs_no_quotes(data, offsets[first], offsets[last], separator):
            continue
        for text in range(first, last):
            found[text] = _quoting_bytes(data, offsets[text], offsets[text + 1], separator)
    return found


@compiled
def add_lengths(offsets: Offsets, extra: Offsets, index: Offsets, suppressed: Flags, lengths: Lengths) -> None:
    """Add the lengths of one column's cells, each with the separator or newline after it, to the line lengths."""
    for row in range(len(index)):
        text = index[row]
        # a suppressed cell is one star; both kinds of cell are followed by one byte
        lengths[row] += 2 if suppressed[row] else offsets[text + 1] - offsets[text] + extra[text] + 1


@compiled
def _put_quoted(data: Bytes, start: int, stop: int, lines: Bytes, at: int) -> int:
    """Write a value in quotes, with every quote inside doubled; returns the position after it."""
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
    suppressed: Flags,
    after: int,
    lines: Bytes,
    cursor: Lengths,
) -> None:
    """Write one column's cells, each followed by the byte `after`.

    `cursor` has the position in `lines` at which the next cell of every row starts. It moves on with every cell.
    """
    for row in range(len(index)):
        at, text = int(cursor[row]), index[row]
        start, length = int(offsets[text]), int(offsets[text + 1] - offsets[text])
        if suppressed[row]:
            lines[at] = STAR
            at += 1
        elif extra[text] > 0:
            at = _put_quoted(data, start, start + length, lines, at)
        else:
            # a plain copy, because this value needs no quotes
            for step in range(length):
                lines[at + step] = data[start + step]
            at += length
        lines[at] = after
        cursor[row] = at + 1


class Texts(NamedTuple):
    """A column: its distinct texts, and the text of each row. Text i is `data[offsets[i] : offsets[i + 1]]`."""

    offsets: Offsets
    data: Bytes
    which: Offsets
    """The number of the text of every row."""


def csv_lines(columns: list[Texts], suppressed: Flags, separator: int, *, chunk: int = 8192) -> Iterator[Bytes]:
    """The lines of all rows in UTF-8, `chunk` rows at a time."""
    extra = [quoting_bytes(column.offsets, column.data, separator) for column in columns]
    if len(columns) == 1:
        # Two quotes for an empty value, because readers skip a blank line, and with it the record.
        extra[0][np.diff(columns[0].offsets) == 0] = 2
    for first in range(0, len(suppressed), chunk):
        rows = slice(first, min(first + chunk, len(suppressed)))
        yield _lines_of_chunk(columns, extra, rows, suppressed[rows], separator)


def _lines_of_chunk(
    columns: list[Texts], extra: list[Offsets], rows: slice, suppressed: Flags, separator: int
) -> Bytes:
    """The lines of some rows: a line starts where the lengths of the lines before it end."""
    lengths = np.zeros(len(suppressed), dtype=np.int64)
    for column, added in zip(columns, extra, strict=True):
        add_lengths(column.offsets, added, column.which[rows], suppressed, lengths)
    # where each line starts: the sum of the lengths before it, without its own
    cursor = np.cumsum(lengths) - lengths
    lines = np.empty(int(lengths.sum()), dtype=np.uint8)
    for place, (column, added) in enumerate(zip(columns, extra, strict=True)):
        after = NEWLINE if place == len(columns) - 1 else separator
        put_cells(column.offsets, column.data, added, column.which[rows], suppressed, after, lines, cursor)
    return lines
