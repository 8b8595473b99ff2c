"""Columns of Python objects as Arrow columns, as workbooks and files of statistics programs give them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Any

import pyarrow as pa

from sfumato.data.domain import written


def arrow_column(values: Sequence[Any]) -> pa.Array:
    """Numbers, days or moments if all values are; texts otherwise. An empty text is a missing value.

    >>> arrow_column([30.0, None, 7.0]).to_pylist(), arrow_column([30.0, "", "x"]).to_pylist()
    ([30, None, 7], ['30', None, 'x'])
    """
    present = [None if value == "" else value for value in values]
    kinds = {type(value) for value in present} - {type(None)}
    if kinds and kinds <= {int, float}:
        return _numbers(present)
    if kinds == {date}:
        return pa.array(present, pa.date32())
    if kinds and kinds <= {date, datetime}:
        return pa.array([_moment(value) for value in present], pa.timestamp("us"))
    return pa.array([_text(value) for value in present], pa.string())


def _numbers(values: Sequence[float | None]) -> pa.Array:
    """Whole numbers if all are whole, so that they are written without a point; NaN is a missing value."""
    numbers = pa.array(values, pa.float64(), from_pandas=True)
    try:
        whole = numbers.cast(pa.int64())
    except pa.ArrowInvalid:
        return numbers
    return whole


def _moment(value: date | datetime | None) -> datetime | None:
    return value if value is None or isinstance(value, datetime) else datetime(value.year, value.month, value.day)


def _text(value: object) -> str | None:
    """A value as a person would write it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return written(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date | time) else str(value)
