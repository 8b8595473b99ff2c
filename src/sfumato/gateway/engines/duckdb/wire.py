"""The protocol between the gateway and a worker: length-prefixed messages, with rows as Arrow streams.

The gateway does not trust a worker. A worker sends a short status and rows; nothing of it is unpickled, and lengths are
checked before memory is allocated for them.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyarrow import ipc

_LENGTHS = struct.Struct("!IQ")
_MAX_HEAD_LENGTH = 1 << 26
_BATCH_ROWS = 1 << 17
_SMALL_BODY = 1 << 17
"""A body of fewer bytes is copied behind its head and sent with it in one system call."""

_BUFFER_SIZE = 1 << 14


class Channel:
    """One end of a socket. Every message has a head and a body, either of which may be empty.

    >>> here, there = socket.socketpair()
    >>> Channel(here).send(b"head", b"body")
    >>> head, body = Channel(there).receive()
    >>> head, body.to_pybytes()
    (b'head', b'body')
    >>> here.close(), there.close()
    (None, None)
    """

    def __init__(self, end: socket.socket, *, longest: int = 1 << 40) -> None:
        self._end, self._max_body_length = end, longest
        self._seconds: float | None = None
        self._buffer = memoryview(bytearray(_BUFFER_SIZE))
        self._start = self._stop = 0

    def send(self, head: bytes, body: Any = b"") -> None:
        """Send a whole message."""
        parts = memoryview(body).cast("B")
        prefix = _LENGTHS.pack(len(head), len(parts)) + head
        if len(parts) < _SMALL_BODY:
            self._end.sendall(b"".join((prefix, parts)))
        else:
            self._end.sendall(prefix)
            self._end.sendall(parts)

    def receive(self) -> tuple[bytes, pa.Buffer]:
        """The next message; raises EOFError if the other end is closed."""
        self._fill(_LENGTHS.size)
        head, body = _LENGTHS.unpack_from(self._buffer, self._start)
        self._start += _LENGTHS.size
        # A compromised worker could announce a huge message; it is refused before memory is reserved for it.
        if head > _MAX_HEAD_LENGTH or body > self._max_body_length:
            raise EOFError("a message is longer than it may be.")
        return bytes(self._read_exactly(head)), self._read_exactly(body)

    def set_timeout(self, seconds: float | None) -> None:
        """How long to wait for the next bytes; TimeoutError after that."""
        if seconds != self._seconds:
            self._end.settimeout(seconds)
            self._seconds = seconds

    def close(self) -> None:
        """Close the socket."""
        self._end.close()

    def _read_exactly(self, length: int) -> pa.Buffer:
        """So many bytes in a buffer of Arrow's, which is aligned, so that rows are used in place.

        A long body is read straight into the buffer; a short one comes through the small read buffer, in the same
        system call as the lengths before it.
        """
        buffer = pa.allocate_buffer(length)
        view, at = memoryview(buffer).cast("B"), 0
        while at < length:
            if self._start == self._stop and length - at >= _BUFFER_SIZE:
                at += self._read(view[at:])
            else:
                at += self._take_buffered(view[at:])
        return buffer

    def _fill(self, length: int) -> None:
        """Read until at least `length` bytes are in the read buffer."""
        if self._start == self._stop:
            self._start = self._stop = 0
        elif self._start + length > len(self._buffer):
            # Too little room at the end of the buffer: move the unread bytes to its beginning.
            left = bytes(self._buffer[self._start : self._stop])
            self._buffer[: len(left)], self._start, self._stop = left, 0, len(left)
        while self._stop - self._start < length:
            self._stop += self._read(self._buffer[self._stop :])

    def _take_buffered(self, wanted: memoryview) -> int:
        """Copy bytes from the read buffer, filling it first if it is empty; return how many."""
        if self._start == self._stop:
            self._start, self._stop = 0, self._read(self._buffer)
        size = min(len(wanted), self._stop - self._start)
        wanted[:size] = self._buffer[self._start : self._start + size]
        self._start += size
        return size

    def _read(self, into: memoryview) -> int:
        """One system call; EOFError if the other end is closed."""
        got = self._end.recv_into(into)
        if got == 0:
            raise EOFError("the other end is gone.")
        return got


def to_bytes(rows: pa.Table | pa.RecordBatch) -> pa.Buffer:
    """Serialize rows with the names and types of their columns."""
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, rows.schema) as writer:
        writer.write(rows)
    return sink.getvalue()


def from_bytes(body: pa.Buffer | bytes) -> pa.Table:
    """The rows that were serialized."""
    with ipc.open_stream(body) as reader:
        return reader.read_all()


def small_batches(batches: pa.RecordBatchReader | pa.Table) -> Iterator[pa.RecordBatch]:
    """The same rows in small batches, so that neither side holds much more than its tables."""
    for batch in batches if isinstance(batches, pa.RecordBatchReader) else batches.to_batches():
        for start in range(0, batch.num_rows, _BATCH_ROWS):
            yield batch.slice(start, _BATCH_ROWS)
