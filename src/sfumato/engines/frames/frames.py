"""Conversion of frames: any frame with Arrow support to pyarrow, and back to the caller's kind of frame."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import narwhals as nw
import pyarrow as pa

from sfumato.engines.duckdb.text_files import check_names
from sfumato.errors import DataError, UsageError

_THREADS = 2


def to_arrow(frame: Any) -> pa.Table:
    """A pyarrow table of a frame's columns, without its index."""
    if isinstance(frame, pa.Table):
        table = frame
    elif nw.dependencies.is_pandas_dataframe(frame):
        check_names([str(name) for name in frame.columns], "the frame")
        try:
            table = pa.Table.from_pandas(frame, preserve_index=False)
        except (pa.ArrowException, TypeError, ValueError):
            raise DataError(
                "the frame has a column of mixed Python objects; convert it to numbers, dates or text first."
            ) from None
    elif hasattr(frame, "__arrow_c_stream__"):
        table = pa.table(frame)
    else:
        raise UsageError(
            f"a {type(frame).__name__} is no frame; give a pandas, polars or pyarrow one, "
            "or anything with __arrow_c_stream__."
        )
    check_names([str(name) for name in table.column_names], "the frame")
    return table


def like(frame: Any, table: pa.Table, changed: Sequence[str]) -> Any:
    """The frame with the `changed` columns of `table`: same kind, same row order, same index.

    Columns that the table lacks are dropped, and those that the frame lacks are added. Without a frame, the table is
    returned.
    """
    with ThreadPoolExecutor(_THREADS) as pool:  # Arrow decodes texts without the interpreter lock
        plain = pa.table(list(pool.map(_plain, table.columns)), names=table.column_names)
    if frame is None or isinstance(frame, pa.Table) or not nw.dependencies.is_into_dataframe(frame):
        return plain
    native = nw.from_native(frame, eager_only=True)
    made = nw.from_arrow(plain.select(list(changed)), backend=native.implementation)
    if nw.dependencies.is_pandas_dataframe(frame):
        made = nw.from_native(made.to_native().set_axis(frame.index))
    kept = native.select(*(name for name in table.column_names if name in native.columns))
    return kept.with_columns(*(made[name] for name in changed)).to_native()


def made_like(frame: Any, table: pa.Table) -> Any:
    """The table as the same kind of frame, with a new index."""
    plain = pa.table([_plain(column) for column in table.columns], names=table.column_names)
    if frame is None or isinstance(frame, pa.Table) or not nw.dependencies.is_into_dataframe(frame):
        return plain
    return nw.from_arrow(plain, backend=nw.from_native(frame, eager_only=True).implementation).to_native()


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A dictionary column as plain texts; a single text is repeated, which is faster."""
    if not pa.types.is_dictionary(column.type):
        return column
    if column.null_count or any(len(chunk.dictionary) != 1 for chunk in column.chunks):
        return column.cast(pa.string())
    repeated = [pa.repeat(chunk.dictionary[0], len(chunk)) for chunk in column.chunks]
    return pa.chunked_array(repeated, pa.string())
