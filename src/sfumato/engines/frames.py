"""Frames at the door: any Arrow-speaking frame in, and the caller's kind of frame out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import pyarrow as pa

from sfumato.engines.files import check_names
from sfumato.errors import DataError, UsageError


def to_arrow(frame: Any) -> pa.Table:
    """A pyarrow table of the frame's columns, its index left out."""
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


def like(frame: Any, table: pa.Table, dropped: list[str]) -> Any:
    """The frame with the columns of `table` put in place: same kind, same row order, same index."""
    if isinstance(frame, pa.Table) or not _known(frame):
        return table
    native = nw.from_native(frame, eager_only=True)
    series = _series(native, {name: table.column(name) for name in table.column_names})
    return native.drop(dropped).with_columns(**series).to_native()


def _known(frame: Any) -> bool:
    return bool(nw.dependencies.is_into_dataframe(frame))


def _series(native: Any, columns: Mapping[str, pa.ChunkedArray]) -> dict[str, Any]:
    made = {}
    for name, column in columns.items():
        plain = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
        made[name] = nw.new_series(name, plain.to_pylist(), backend=native.implementation)
    return made
