from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics import QuantileError
from sfumato.metrics.quantile_error import quantiles


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=12), st.integers(2, 7))
def test_quantiles_as_numpy_cuts_them(values, parts):
    found = quantiles(np.array(values, dtype=float)[:, None], np.ones(len(values), dtype=np.int64), parts)
    ordered = sorted(values)
    slow = [
        next(x for x in ordered if parts * sum(y <= x for y in values) >= cut * len(values)) for cut in range(1, parts)
    ]
    assert found[:, 0].tolist() == slow


def test_permuted_numbers_keep_their_quantiles():
    values = np.random.default_rng(0).normal(size=30)
    assert QuantileError().measure(PairedNumbers.of_arrays(values, values[::-1])) == 0


def test_a_shift_moves_every_quantile():
    values = np.random.default_rng(0).normal(size=(30, 2))
    moved = values + 3 * values.std(axis=0)
    assert QuantileError(parts=4).measure(PairedNumbers.of_arrays(values, moved)) == pytest.approx(3)
