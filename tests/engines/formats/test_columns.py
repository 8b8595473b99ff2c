"""Columns of Python objects: what they become."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

import pyarrow as pa
import pytest

from sfumato.engines.formats.columns import arrow_column

DAY, MOMENT = date(2020, 1, 2), datetime(2020, 1, 2, 3, 4)


@pytest.mark.parametrize(
    ("values", "kind", "shown"),
    [
        ([30.0, None, 7], pa.int64(), [30, None, 7]),
        ([30.5, "", 7.0], pa.float64(), [30.5, None, 7.0]),
        ([1e300, float("nan")], pa.float64(), [1e300, None]),
        ([DAY, None, ""], pa.date32(), [DAY, None, None]),
        ([DAY, MOMENT], pa.timestamp("us"), [datetime(2020, 1, 2), MOMENT]),
        (["a", "", None], pa.string(), ["a", None, None]),
        ([30.0, "?", 7.5], pa.string(), ["30", "?", "7.5"]),
        ([True, False, None], pa.string(), ["true", "false", None]),
        ([True, 1.0], pa.string(), ["true", "1"]),
        ([DAY, "later"], pa.string(), ["2020-01-02", "later"]),
        ([DAY, 3.0], pa.string(), ["2020-01-02", "3"]),
        ([time(3, 4), MOMENT], pa.string(), ["03:04:00", "2020-01-02 03:04:00"]),
        ([None, ""], pa.string(), [None, None]),
        ([], pa.string(), []),
    ],
)
def test_a_column_has_the_type_that_all_its_values_have(values: list[Any], kind: pa.DataType, shown: list[Any]) -> None:
    made = arrow_column(values)
    assert made.type == kind
    assert made.to_pylist() == shown
