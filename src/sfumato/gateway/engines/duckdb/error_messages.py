"""Failures of the private side in words of our own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

from sfumato.errors import DataError
from sfumato.gateway.engines.failure_messages import fault_of, words_of

_IN_A_ROW = ("conversion", "range", "input")
_UNREADABLE = (
    "some row is not what it should be; check the data, and of a CSV file that every line has as many fields as the "
    "first, that quotes are closed, and that it is in UTF-8."
)


@contextmanager
def in_own_words(what: str) -> Iterator[None]:
    """An engine's message may quote a value of somebody's; this one does not, nor does the error behind it any more.

    >>> with in_own_words("the rows cannot be read"):
    ...     duckdb.sql("SELECT * FROM ann")
    Traceback (most recent call last):
        ...
    sfumato.errors.DataError: the rows cannot be read: the question names something that is not there.
    """
    try:
        yield
    except (duckdb.Error, OSError, pa.ArrowException) as error:
        fault = fault_of(error)
        error.args = ()
        raise DataError(f"{what}: {_UNREADABLE if fault in _IN_A_ROW else words_of(fault)}") from None


def to_the_end(reader: pa.RecordBatchReader, con: Any) -> Iterator[pa.RecordBatch]:
    """All batches of a reader, then its connection is closed."""
    with in_own_words("the private rows cannot be read to their end"):
        try:
            yield from reader
        finally:
            con.close()
