from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato.errors import SchemaError, UsageError
from sfumato.evaluation.learners import Features
from sfumato.evaluation.learners.features import Feature


def read(values, *, nominal=(), missing=(), kind=None) -> Feature:
    table = pa.table({"x": pa.array(values, kind)})
    return Features.of_frame(table, ["x"], nominal=nominal, missing=missing).columns[0]


def test_numbers_by_type_and_by_what_is_written():
    np.testing.assert_array_equal(read([3, None, 1]).values, [3.0, np.nan, 1.0])
    np.testing.assert_array_equal(read(["03", "1.5", None]).values, [3.0, 1.5, np.nan])
    np.testing.assert_array_equal(read([Decimal("1.50"), Decimal(2)]).values, [1.5, 2.0])
    assert read(["3", "x"]).texts == ("3", "x")
    assert read([True, False]).texts == ("false", "true")


def test_a_column_that_is_named_nominal_has_names():
    assert read([30, 7, None], nominal=["x"]).texts == ("30", "7", None)
    assert read([30.0, 7.5], nominal=["x"]).texts == ("30", "7.5")
    assert read(["7", "30"], nominal=["x"]).values.tolist() == [1, 0]


def test_missing_names_are_a_value_of_their_own():
    column = read(["b", None, "a", "?"], missing=["?"])
    assert column.texts == ("a", "b", None)
    assert column.values.tolist() == [1, 2, 0, 2]
    np.testing.assert_array_equal(read(["4", "?"], missing=["?"]).values, [4.0, np.nan])


def test_a_column_without_values_is_numeric():
    """So that some of the rows of a numeric column are numeric, whichever they are."""
    assert np.isnan(read([None, None], kind=pa.string()).values).all()
    assert np.isnan(read([None], kind=pa.null()).values).all()


def test_dictionaries_do_not_depend_on_the_frame_or_on_row_order():
    rows = {"job": ["cook", "smith", "cook"], "age": [1, 2, 3]}
    frames = [pd.DataFrame(rows), pl.DataFrame(rows), pa.table(rows)]
    frames.append(pd.DataFrame(rows).astype({"job": "category"}))
    for frame in frames:
        features = Features.of_frame(frame, ["age", "job"])
        assert features.names == ("age", "job")
        assert features.columns[1].values.tolist() == [0, 1, 0]
        assert features.columns[1].texts == ("cook", "smith")


def test_rows_and_columns_can_be_left_out():
    features = Features.of_frame(pa.table({"a": [1, 2, 3], "b": ["x", "y", "x"]}), ["a", "b"])
    for index in (np.array([2, 0]), np.array([True, False, True])):
        assert len(features.rows(index)) == 2
    assert features.rows(np.array([2, 0])).columns[0].values.tolist() == [3, 1]
    bare = features.without(["b", "a"])
    assert (bare.names, len(bare), len(bare.rows(np.array([1])))) == ((), 3, 1)
    assert (len(features.without_records()), features.without_records().columns[1].texts) == (0, ("x", "y"))


def test_codes_in_the_dictionaries_of_others():
    seen = Features.of_frame(pa.table({"a": ["x", "y", None], "n": [1, 2, 3]}), ["a", "n"])
    other = Features.of_frame(pa.table({"n": [9, 8], "z": [0, 0], "a": ["w", "y"]}), ["n", "z", "a"])
    aligned = other.aligned_with(seen)
    assert aligned.names == ("a", "n")
    assert aligned.columns[0].values.tolist() == [-1, 1]
    assert aligned.columns[1].values.tolist() == [9, 8]
    again = aligned.aligned_with(other.without(["z"]))
    assert again.columns[1].values.tolist() == [-1, 1]


def test_what_does_not_fit_is_refused():
    table = pa.table({"age": [1], "job": ["cook"]})
    with pytest.raises(SchemaError, match="no column 'agee'; did you mean 'age'"):
        Features.of_frame(table, ["agee"])
    features = Features.of_frame(table, ["age", "job"])
    with pytest.raises(UsageError, match="no column 'jib' to leave out; did you mean 'job'"):
        features.without(["jib"])
    with pytest.raises(UsageError, match="'job', which was used in training"):
        features.without(["job"]).aligned_with(features)
    with pytest.raises(UsageError, match="'age' holds numbers here but names"):
        features.aligned_with(Features.of_frame(table, ["age"], nominal=["age"]))
    with pytest.raises(UsageError, match="has 1 values for 2 records"):
        Features((Feature("a", np.zeros(1)),), 2)
