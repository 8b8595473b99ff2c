from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato.engines.frames.matrices import from_matrix, to_matrix
from sfumato.errors import DataError, SchemaError, UsageError

COLUMNS = {"i": [1, 2], "f": [0.5, -1.5], "t": ["a", "b"]}


@pytest.mark.parametrize("frame", [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pa.table(COLUMNS)], ids=type)
def test_there_and_back(frame):
    matrix = to_matrix(frame, ["f", "i"])
    assert matrix.tolist() == [[0.5, 1.0], [-1.5, 2.0]]
    made = from_matrix(frame, matrix, ["a", "b"])
    assert type(made) is type(frame)
    assert to_matrix(made, ["a", "b"]).tolist() == matrix.tolist()


def test_an_index_is_kept():
    frame = pd.DataFrame(COLUMNS, index=["x", "y"])
    assert from_matrix(frame, np.zeros((2, 1)), ["a"]).index.tolist() == ["x", "y"]


def test_decimals_are_numbers_and_booleans_and_dates_are_not():
    assert to_matrix(pa.table({"d": [Decimal("1.25"), Decimal("2.50")]}), ["d"])[:, 0].tolist() == [1.25, 2.5]
    for column in ([True, False], pa.array([1, 2], pa.date32()), ["1", "2"]):
        with pytest.raises(DataError, match="'c' holds"):
            to_matrix(pa.table({"c": column}), ["c"])


def test_missing_values_are_counted():
    with pytest.raises(DataError, match="in 2 of 3 records"):
        to_matrix(pa.table({"c": [1.0, None, float("nan")]}), ["c"])
    with pytest.raises(DataError, match="in 1 of 2 records"):
        to_matrix(pa.table({"c": pa.array([1, None], pa.int64())}), ["c"])


def test_no_column_and_no_frame():
    assert to_matrix(pa.table(COLUMNS), []).shape == (2, 0)
    with pytest.raises(SchemaError, match="did you mean 'f'"):
        to_matrix(pa.table(COLUMNS), ["ff"])
    with pytest.raises(UsageError, match="is no frame"):
        to_matrix([[1]], ["a"])
