"""Replaces error messages of the private database, which can quote values."""

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
"""The message for any failure of a row: the engine's own would quote it."""


@contextmanager
def hiding_engine_messages(what: str) -> Iterator[None]:
    """Turn an engine's error in the block into a DataError without the engine's text.

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
    """All batches of a reader; then close its connection."""
    with hiding_engine_messages("the private rows cannot be read to their end"):
        try:
            yield from reader
        finally:
            con.close()
