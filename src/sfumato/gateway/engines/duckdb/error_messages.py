"""Failures of the private side in words of our own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

from sfumato.errors import DataError
from sfumato.gateway.engines.failure_messages import failure_kind, message_of

_IN_A_ROW = ("conversion", "range", "input")
_UNREADABLE = (
    "some row is not what it should be; check the data, and of a CSV file that every line has as many fields as the "
    "first, that quotes are closed, and that it is in UTF-8."
)


@contextmanager
def hiding_engine_messages(what: str) -> Iterator[None]:
    """An engine's message may quote a value of somebody's; this one does not, nor does the error behind it any more.

    >>> with hiding_engine_messages("the rows cannot be read"):
    ...     duckdb.sql("SELECT * FROM ann")
    Traceback (most recent call last):
        ...
    sfumato.errors.DataError: the rows cannot be read: the question names something that is not there.
    """
    try:
        yield
    except (duckdb.Error, OSError, pa.ArrowException) as error:
        kind = failure_kind(error)
        error.args = ()
        raise DataError(f"{what}: {_UNREADABLE if kind in _IN_A_ROW else message_of(kind)}") from None


def read_and_close(reader: pa.RecordBatchReader, con: Any) -> Iterator[pa.RecordBatch]:
    """All batches of a reader, then its connection is closed."""
    with hiding_engine_messages("the private rows cannot be read to their end"):
        try:
            yield from reader
        finally:
            con.close()
