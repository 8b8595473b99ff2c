from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.masks import RandomRounding


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=20), st.integers(1, 50), st.integers(0, 9))
def test_next_multiples_on_either_side(values, base, seed):
    made = RandomRounding(base=base).mask(pa.table({"v": values}), ["v"], seed=seed)["v"].to_pylist()
    assert all(number % base == 0 for number in made)
    assert all(abs(number - value) < base for number, value in zip(made, values, strict=True))


def test_right_on_average():
    values = np.full(20_000, 3)
    made = np.array(RandomRounding(base=10).mask(pa.table({"v": values}), ["v"], seed=1)["v"])
    assert set(made.tolist()) == {0, 10}
    assert made.mean() == pytest.approx(3, abs=0.15)


def test_multiples_of_a_broken_base_stay():
    values = [round(0.1 * times, 1) for times in range(50)]
    assert RandomRounding(base=0.1).mask(pa.table({"v": values}), ["v"], seed=1)["v"].to_pylist() == values
