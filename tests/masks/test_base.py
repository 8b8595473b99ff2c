"""What all masks share: names, kinds, chance and missing values."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from sfumato.datasets import employees
from sfumato.errors import DataError, ParameterError, SchemaError, UsageError
from sfumato.masks import Noise, Pram, RecordSwapping, Rounding, Shuffling
from sfumato.settings.catalogue import entries

KEEPING = ("coding", "pram", "rank_swapping", "record_swapping", "shuffling")


def test_columns_are_a_list_of_names():
    with pytest.raises(UsageError, match=r"write \['age'\]"):
        Noise().mask(employees(), "age")
    with pytest.raises(UsageError, match="needs at least one column to mask"):
        Noise().mask(employees(), [])
    with pytest.raises(SchemaError, match="did you mean 'pay'"):
        Noise().mask(employees(), ["payy"])
    assert Rounding().mask(employees(), ["age", "age"]).equals(Rounding().mask(employees(), ["age"]))


@pytest.mark.parametrize("seed", [-1, 1.5, True, "x"])
def test_seeds_are_whole_numbers(seed):
    with pytest.raises(ParameterError, match="'seed' must be a whole number"):
        Noise().mask(employees(), ["pay"], seed=seed)


@pytest.mark.parametrize("mask", [Shuffling(given=("age",)), RecordSwapping(keep=("age",)), Pram(strata=("age",))])
def test_what_is_looked_at_is_not_masked_too(mask):
    with pytest.raises(SchemaError, match="reads column 'age' to mask others"):
        mask.mask(employees(), ["age"])
    with pytest.raises(SchemaError, match="no column 'age'"):
        mask.mask(pa.table({"x": [1, 2]}), ["x"])


def test_a_column_of_one_value_hides_nobody():
    frame = pd.DataFrame({"same": [7, 7, 7], "gone": [float("nan")] * 3})
    for name in ("same", "gone"):
        with pytest.raises(DataError, match=f"column '{name}' has at most one distinct value"):
            Noise().mask(frame, [name])
    assert Rounding(base=5).mask(frame, ["same"])["same"].tolist() == [5, 5, 5]


@pytest.mark.parametrize("entry", [entry for entry in entries("masks") if entry.name in KEEPING], ids=str)
def test_whole_numbers_stay_whole_where_values_are_kept(entry):
    before = employees(200)
    made = entry.thing().mask(before, ["years"], seed=1)
    assert made.schema.field("years").type == before.schema.field("years").type
    assert set(made["years"].to_pylist()) <= set(before["years"].to_pylist())


def test_noise_makes_broken_numbers():
    assert Noise().mask(employees(), ["years"], seed=1).schema.field("years").type == pa.float64()


def test_refusals_tell_no_value():
    frame = pa.table({"secret": ["SECRETITIS", "SECRETITIS"]})
    for mask in (Noise(), Pram()):
        with pytest.raises(DataError) as caught:
            mask.mask(frame, ["secret"])
        assert "SECRETITIS" not in str(caught.value)
