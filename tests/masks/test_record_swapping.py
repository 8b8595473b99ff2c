from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.datasets import employees
from sfumato.errors import DataError
from sfumato.masks import RecordSwapping


def cells(table, *names):
    return list(zip(*(table[name].to_pylist() for name in names), strict=True))


@given(st.integers(12, 60), st.floats(0.05, 1), st.integers(0, 9))
def test_counts_with_kept_columns_stay(records, share, seed):
    before = employees(records, seed=seed).drop_columns(["pay"])
    before = before.append_column("number", pa.array(range(records)))
    made = RecordSwapping(share=share, keep=("country",)).mask(before, ["number", "town"], seed=seed)
    assert Counter(cells(made, "country", "number", "town")) == Counter(cells(before, "country", "number", "town"))
    became = dict(zip(range(records), made["number"].to_pylist(), strict=True))
    assert all(became[became[number]] == number for number in became)


def test_only_records_that_agree_are_swapped():
    before = employees(400)
    made = RecordSwapping(share=1, keep=("job", "country")).mask(before, ["town"], seed=1)
    assert Counter(cells(made, "job", "town")) == Counter(cells(before, "job", "town"))
    assert made["town"] != before["town"]


def test_about_the_share_is_swapped():
    numbers = pa.table({"n": list(range(5000)), "g": [number // 3 for number in range(5000)]})
    made = RecordSwapping(share=0.2, keep=("g",)).mask(numbers, ["n"], seed=1)["n"].to_pylist()
    moved = sum(one != number for number, one in enumerate(made))
    assert moved / 5000 == pytest.approx(0.2, abs=0.03)
    assert all(one // 3 == number // 3 for number, one in enumerate(made))


def test_records_that_miss_a_value_stay():
    table = pa.table({"a": [1, 2, 3, None], "b": ["x", "y", None, "z"]})
    made = RecordSwapping(share=1).mask(table, ["a", "b"], seed=1)
    assert cells(made, "a", "b") == [(2, "y"), (1, "x"), (3, None), (None, "z")]


def test_nobody_to_swap_with():
    with pytest.raises(DataError, match="no two records agree"):
        RecordSwapping(keep=("k",)).mask(pa.table({"k": [1, 2], "v": [1, 2]}), ["v"])
