from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato.engines.frames.paired_sources import files_side_by_side, side_by_side
from sfumato.errors import DataError, SchemaError

BEFORE = {"a": [1, 2, 3], "b": [0.5, None, 2.5], "t": ["x", "y", "z"], "only": [1, 1, 1]}
AFTER = {"t": ["x", "y", "z"], "b": [0.5, 1.0, 2.0], "a": [2, 2, 2]}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_numbers_that_both_have(kind):
    masked = side_by_side(kind(BEFORE), kind(AFTER))
    assert masked.columns == ("a", "b")
    assert masked.original[:, 0].tolist() == [1, 2, 3]
    assert masked.published.tolist() == [[2, 0.5], [2, 1], [2, 2]]
    assert (masked.people, masked.incomplete) == (2, 1)


def test_named_columns_must_be_numbers_unless_others_are_passed_over():
    one, other = pa.table(BEFORE), pa.table(AFTER)
    assert side_by_side(one, other, ["b"]).columns == ("b",)
    assert side_by_side(one, other, ["t", "b"], only_numbers=True).columns == ("b",)
    with pytest.raises(DataError, match="column 't' does not hold numbers"):
        side_by_side(one, other, ["t"])
    with pytest.raises(SchemaError, match="share a column 'only'"):
        side_by_side(one, other, ["only"])


def test_decimals_are_numbers_and_truths_are_not():
    table = pa.table({"d": [Decimal("1.5"), Decimal("2.5")], "w": [True, False]})
    assert side_by_side(table, table).original.tolist() == [[1.5], [2.5]]


def test_tables_of_other_lengths_are_refused():
    with pytest.raises(DataError, match="3 records and the masked table 2"):
        side_by_side(pa.table(BEFORE), pa.table(AFTER).slice(1))


def test_files(tmp_path):
    (tmp_path / "one.csv").write_text("age,pay,job\n30,1.5,cook\n31,?,nurse\n32,3,nurse\n", encoding="utf-8")
    pd.DataFrame({"job": ["a", "b", "c"], "pay": [1.0, 2.0, 3.0], "age": [30, 30, 33]}).to_parquet(tmp_path / "two.pq")
    masked = files_side_by_side(tmp_path / "one.csv", tmp_path / "two.pq", missing=["?"])
    assert masked.columns == ("age", "pay")
    assert masked.published[:, 0].tolist() == [30, 30, 33]
    assert np.isnan(masked.original[1, 1])
    assert files_side_by_side(tmp_path / "one.csv", tmp_path / "two.pq", ["age"]).people == 3
    assert files_side_by_side(tmp_path / "one.csv", tmp_path / "two.pq").columns == ("age",)


def test_suppressed_records_are_missing_ones(tmp_path):
    (tmp_path / "one.csv").write_text("age,zip\n30,1\n31,2\n", encoding="utf-8")
    (tmp_path / "two.csv").write_text("age,zip\n30.5,1\n*,*\n", encoding="utf-8")
    masked = files_side_by_side(tmp_path / "one.csv", tmp_path / "two.csv")
    assert (masked.people, masked.incomplete) == (1, 1)


def test_files_without_a_common_column(tmp_path):
    (tmp_path / "one.csv").write_text("a\n1\n", encoding="utf-8")
    (tmp_path / "two.csv").write_text("b\n1\n", encoding="utf-8")
    with pytest.raises(SchemaError, match="share no column"):
        files_side_by_side(tmp_path / "one.csv", tmp_path / "two.csv")
