from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.masks import Rounding


@given(st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=20), st.integers(1, 50))
def test_nearest_multiples(values, base):
    made = Rounding(base=base).mask(pa.table({"v": values}), ["v"])["v"].to_pylist()
    assert all(number % base == 0 for number in made)
    assert all(2 * abs(number - value) <= base for number, value in zip(made, values, strict=True))


@pytest.mark.parametrize(("base", "expected"), [(0.1, [0.3, 1.2]), (0.25, [0.25, 1.25]), (2.5, [0.0, 0.0])])
def test_decimals_as_the_base_has_them(base, expected):
    made = Rounding(base=base).mask(pa.table({"v": [0.31, 1.24]}), ["v"])["v"].to_pylist()
    assert made == expected


def test_whole_numbers_stay_whole_under_a_whole_base():
    assert Rounding(base=5).mask(pa.table({"v": [7]}), ["v"]).schema.field("v").type == pa.int64()
    assert np.array(Rounding(base=2.5).mask(pa.table({"v": [7, 8]}), ["v"])["v"]).tolist() == [7.5, 7.5]
