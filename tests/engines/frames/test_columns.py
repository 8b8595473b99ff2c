from __future__ import annotations

import pickle
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato.engines.frames.columns import Columns
from sfumato.errors import DataError, SchemaError

ROWS = {"whole": [3, None, 5], "broken": [0.5, 2.5, None], "text": ["b", "a", None], "other": [1, 2, 3]}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_numbers_there_and_back(kind):
    frame = kind(ROWS)
    taken = Columns.of_numbers(frame, ["broken", "whole"])
    assert taken.missing.tolist() == [[False, False], [False, True], [True, False]]
    made = taken.put_back(taken.matrix * 2)
    assert type(made) is type(frame)
    again = Columns.of_numbers(made, ["broken", "whole", "other"]).matrix
    np.testing.assert_array_equal(again, [[1, 6, 1], [5, np.nan, 2], [np.nan, 10, 3]])


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_values_there_and_back(kind):
    taken = Columns.of_values(kind(ROWS), ["text", "broken"])
    assert taken.matrix.tolist() == [[0, 0], [1, 1], [-1, -1]]
    made = taken.put_back(taken.matrix[[1, 0, 2]])
    found = pa.table(made) if not isinstance(made, pd.DataFrame) else pa.Table.from_pandas(made)
    assert found["text"].to_pylist() == ["a", "b", None]
    assert found["broken"].to_pylist()[:2] == [2.5, 0.5]


def test_an_index_is_kept():
    frame = pd.DataFrame(ROWS, index=["x", "y", "z"])
    taken = Columns.of_numbers(frame, ["other"])
    assert taken.put_back(taken.matrix + 1)["other"].to_dict() == {"x": 2, "y": 3, "z": 4}


def test_whole_numbers_stay_whole_where_they_can():
    table = pa.table({"n": pa.array([1, 2, 3], pa.uint8())})
    taken = Columns.of_numbers(table, ["n"])
    assert taken.put_back(taken.matrix[::-1]).schema.field("n").type == pa.uint8()
    assert taken.put_back(taken.matrix - 2).schema.field("n").type == pa.int64()
    assert taken.put_back(taken.matrix / 2).schema.field("n").type == pa.float64()
    narrow = pa.table({"n": pa.array([1.5, 2.5], pa.float32())})
    taken = Columns.of_numbers(narrow, ["n"])
    assert taken.put_back(taken.matrix).schema.field("n").type == pa.float32()


@pytest.mark.parametrize(
    "values",
    [
        [True, False, None],
        [date(2020, 1, 1), None, date(2021, 1, 1)],
        [Decimal("1.5"), Decimal("2.5"), None],
        [1, 2, None],
    ],
)
def test_values_of_any_kind_keep_it(values):
    table = pa.table({"v": values})
    taken = Columns.of_values(table, ["v"])
    assert taken.put_back(taken.matrix)["v"].equals(table["v"])


def test_types_that_only_a_frame_library_has_are_kept():
    frame = pd.DataFrame({"c": pd.Categorical(["b", None, "a"]), "n": pd.array([1, None, 3], dtype="Int64")})
    taken = Columns.of_values(frame, ["c", "n"])
    pd.testing.assert_frame_equal(taken.put_back(taken.matrix), frame)
    assert taken.put_back(taken.matrix[[2, 1, 0]])["c"].tolist()[::2] == ["a", "b"]
    numbers = Columns.of_numbers(frame, ["n"])
    pd.testing.assert_frame_equal(numbers.put_back(numbers.matrix), frame)
    assert numbers.put_back(numbers.matrix / 2)["n"].tolist()[::2] == [0.5, 1.5]
    polars = pl.DataFrame({"c": ["b", None, "a"], "o": [1, 2, 3]}, schema_overrides={"c": pl.Categorical})
    taken = Columns.of_values(polars, ["c"])
    assert taken.put_back(taken.matrix).equals(polars)
    assert taken.put_back(taken.matrix).schema == polars.schema


@pytest.mark.parametrize("kind", [pd.CategoricalDtype(["canary", "b", "a"], ordered=True), pl.Enum, pl.Categorical])
def test_categories_that_are_replaced_are_not_listed_any_more(kind):
    values, listed = ["b", "canary", "a"], ["canary", "b", "a"]
    if isinstance(kind, pd.CategoricalDtype):
        frame = pd.DataFrame({"c": pd.Series(values, dtype=kind), "o": pd.Series(values, dtype=kind)})
    else:
        dtype = kind(listed) if kind is pl.Enum else kind
        frame = pl.DataFrame({"c": values, "o": values}, schema=dict.fromkeys("co", dtype))
    taken = Columns.of_values(frame, ["c"])
    found = taken.put_back(taken.matrix[[0, 2, 2]])
    assert found["c"].to_list() == ["b", "a", "a"]
    assert b"canary" not in pickle.dumps(found[["c"]])
    assert found["o"].dtype == frame["o"].dtype
    if isinstance(kind, pd.CategoricalDtype):
        assert found["c"].dtype == pd.CategoricalDtype(["b", "a"], ordered=True)
    elif kind is pl.Enum:
        assert found["c"].dtype == pl.Enum(["b", "a"])


@pytest.mark.parametrize("kind", [pa.string(), pa.large_binary(), pa.string_view(), pa.list_(pa.string())], ids=str)
def test_other_columns_keep_nothing_of_records_that_were_left_out(kind):
    texts = [f"{name}, a text too long to be kept beside its length" for name in ("ann", "bob", "canary")]
    values = pa.array([[text] for text in texts] if pa.types.is_list(kind) else texts, kind)
    kept = pa.table({"n": [1, 2, 3], "other": values}).slice(0, 2)
    taken = Columns.of_numbers(kept, ["n"])
    found = taken.put_back(taken.matrix)
    assert found.equals(kept)
    assert b"canary" in pickle.dumps(kept)
    assert b"canary" not in pickle.dumps(found)


def test_refusals():
    table = pa.table({**ROWS, "nested": [[1], [2], [3]], "huge": [2**60, 1, 2]})
    with pytest.raises(SchemaError, match="did you mean 'whole'"):
        Columns.of_numbers(table, ["whol"])
    with pytest.raises(DataError, match="'text' holds string, not numbers"):
        Columns.of_numbers(table, ["text"])
    with pytest.raises(DataError, match="'huge' has numbers too large"):
        Columns.of_numbers(table, ["huge"])
    with pytest.raises(DataError, match="'broken' holds double, not categories"):
        Columns.of_values(table, ["broken"], broken=False)
    with pytest.raises(DataError, match="'nested' holds list"):
        Columns.of_values(table, ["nested"])
    with pytest.raises(DataError, match="no records"):
        Columns.of_values(table.slice(0, 0), ["text"])
