"""Replaces error messages of the private database, which can quote values; all code that reads it uses this."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

from sfumato.errors import DataError
from sfumato.gateway.engines.failure_messages import failure_kind, message_of

_ROW_FAILURES = ("conversion", "range", "input")
_ROW_MESSAGE = (
    "some row cannot be read; check the data, and for a CSV file that every line has as many fields as the first, that "
    "quotes are closed, and that it is in UTF-8."
)
"""The message for any failure of a row; the engine's own message would quote the row."""


@contextmanager
def hiding_engine_messages(what: str) -> Iterator[None]:
    """Turn an engine's error in the block into a DataError without the engine's text.

    >>> with hiding_engine_messages("the rows cannot be read"):
    ...     duckdb.sql("SELECT * FROM ann")
    Traceback (most recent call last):
        ...
    sfumato.errors.DataError: the rows cannot be read: the question names something that does not exist.
    """
    try:
        yield
    except (duckdb.Error, OSError, pa.ArrowException) as error:
        kind = failure_kind(error)
        # The error stays reachable as the context of the new one; without its arguments it holds no text of a row.
        error.args = ()
        raise DataError(f"{what}: {_ROW_MESSAGE if kind in _ROW_FAILURES else message_of(kind)}") from None


def read_and_close(reader: pa.RecordBatchReader, con: Any) -> Iterator[pa.RecordBatch]:
    """All batches of a reader; then close its connection."""
    with hiding_engine_messages("the private rows cannot be read to their end"):
        try:
            yield from reader
        finally:
            con.close()
