"""How the gateway and a child talk: messages with their lengths in front, rows as Arrow streams.

A child is not trusted. What it sends is a short word and rows; nothing of it is ever unpickled, and lengths are looked
at before memory is taken for them.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyarrow import ipc

_LENGTHS = struct.Struct("!IQ")
_LONGEST_HEAD = 1 << 26
_ROWS_A_BATCH = 1 << 17
_COME_AT_ONCE = 1 << 14


class Channel:
    """One end of a socket; every message is a head and a body, either of which may be empty.

    >>> here, there = socket.socketpair()
    >>> Channel(here).send(b"head", b"body")
    >>> head, body = Channel(there).receive()
    >>> head, body.to_pybytes()
    (b'head', b'body')
    >>> here.close(), there.close()
    (None, None)
    """

    def __init__(self, end: socket.socket, *, longest: int = 1 << 40) -> None:
        self._end, self._longest = end, longest
        self._seconds: float | None = None
        self._come = memoryview(bytearray(_COME_AT_ONCE))
        self._from = self._to = 0

    def send(self, head: bytes, body: Any = b"") -> None:
        """A message, whole."""
        parts = memoryview(body).cast("B")
        opening = _LENGTHS.pack(len(head), len(parts)) + head
        if len(parts) < _ROWS_A_BATCH:  # one call of the system for what is small
            self._end.sendall(b"".join((opening, parts)))
        else:
            self._end.sendall(opening)
            self._end.sendall(parts)

    def receive(self) -> tuple[bytes, pa.Buffer]:
        """The next message; EOFError when the other end is gone."""
        self._look_for(_LENGTHS.size)
        head, body = _LENGTHS.unpack_from(self._come, self._from)
        self._from += _LENGTHS.size
        if head > _LONGEST_HEAD or body > self._longest:
            raise EOFError("a message is longer than it may be.")
        return bytes(self._exactly(head)), self._exactly(body)

    def waits(self, seconds: float | None) -> None:
        """How long the other end may take for the next piece; TimeoutError after that."""
        if seconds != self._seconds:
            self._end.settimeout(seconds)
            self._seconds = seconds

    def close(self) -> None:
        """No more messages."""
        self._end.close()

    def _exactly(self, length: int) -> pa.Buffer:
        # memory of Arrow's own is aligned, so rows are read in place
        buffer = pa.allocate_buffer(length)
        view, at = memoryview(buffer).cast("B"), 0
        while at < length:
            if self._from == self._to and length - at >= _COME_AT_ONCE:
                at += self._got(view[at:])
            else:
                at += self._taken(view[at:])
        return buffer

    def _look_for(self, length: int) -> None:
        """Until at least so much has come."""
        if self._from == self._to:
            self._from = self._to = 0
        elif self._from + length > len(self._come):
            left = bytes(self._come[self._from : self._to])
            self._come[: len(left)], self._from, self._to = left, 0, len(left)
        while self._to - self._from < length:
            self._to += self._got(self._come[self._to :])

    def _taken(self, wanted: memoryview) -> int:
        """Some of what has come already; a small message comes in one call of the system."""
        if self._from == self._to:
            self._from, self._to = 0, self._got(self._come)
        size = min(len(wanted), self._to - self._from)
        wanted[:size] = self._come[self._from : self._from + size]
        self._from += size
        return size

    def _got(self, into: memoryview) -> int:
        got = self._end.recv_into(into)
        if got == 0:
            raise EOFError("the other end is gone.")
        return got


def packed(rows: pa.Table | pa.RecordBatch) -> pa.Buffer:
    """Rows as bytes, with their columns' names and types."""
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, rows.schema) as writer:
        writer.write(rows)
    return sink.getvalue()


def unpacked(body: pa.Buffer | bytes) -> pa.Table:
    """The rows again."""
    with ipc.open_stream(body) as reader:
        return reader.read_all()


def pieces(batches: pa.RecordBatchReader | pa.Table) -> Iterator[pa.RecordBatch]:
    """The same rows in batches small enough that neither side ever holds much more than its tables."""
    for batch in batches if isinstance(batches, pa.RecordBatchReader) else batches.to_batches():
        for start in range(0, batch.num_rows, _ROWS_A_BATCH):
            yield batch.slice(start, _ROWS_A_BATCH)
