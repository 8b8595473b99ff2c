from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.disclosure.exact_ratios import against, as_meant


@pytest.mark.parametrize(
    ("number", "meant"),
    [(0.3, "3/10"), (1 / 3, "1/3"), (8 / 21, "8/21"), (3, "3"), (1.7548, "17548/10000"), (1e-9, "1/1000000000")],
)
def test_a_setting_stands_for_what_was_meant(number, meant):
    assert as_meant(number) == Fraction(meant)


@given(st.integers(0, 10**5), st.integers(1, 10**5))
def test_every_simple_fraction_survives_floating_point(over, under):
    assert as_meant(over / under) == Fraction(over, under)


@given(st.floats(0, 1e6, allow_nan=False))
def test_what_is_meant_is_stored_as_the_number(number):
    assert float(as_meant(number)) == number


BIG = st.integers(0, 2**62)


@given(BIG, st.integers(1, 2**62), st.fractions(0, 50, max_denominator=1000))
def test_comparing_never_rounds(count, total, limit):
    found = against(np.array([count]), np.array([total]), float(limit))
    gap = Fraction(count, total) - as_meant(float(limit))
    assert found.tolist() == [(gap > 0) - (gap < 0)]


def test_nothing_of_nothing_and_something_of_nothing():
    assert against(np.array([0, 5]), np.array([0, 0]), 2).tolist() == [0, 1]
    assert against(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), 0.5).tolist() == []
