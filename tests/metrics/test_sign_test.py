from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics import SignTest
from tests.golden import three_groups


def test_figures_7_1_and_7_2():
    """Kabir (2010): of 12 numbers 6 lie above their median; of 9 that move 3 lie above their mean."""
    assert SignTest().measure(three_groups.medians()) == 1
    assert SignTest().measure(three_groups.means()) == pytest.approx(0.5078125)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 3))
def test_against_scipy(up, down, same):
    moved = np.repeat([1.0, -1.0, 0.0], [up, down, same])
    if not len(moved):
        return
    expected = binomtest(up, up + down).pvalue if up + down else 1.0
    assert SignTest().measure(PairedNumbers.of_arrays(10 + moved, np.full(len(moved), 10.0))) == pytest.approx(expected)


def test_the_worst_column_counts():
    fair, unfair = [1, -1, 1, -1, 1, -1], [1, 1, 1, 1, 1, 1]
    pair = PairedNumbers.of_arrays(np.column_stack([fair, unfair]), np.zeros((6, 2)))
    assert SignTest().measure(pair) == pytest.approx(2 / 64)


def test_rounding_is_no_move():
    assert SignTest().measure(PairedNumbers.of_arrays([0.3] * 20, [0.1 + 0.2] * 20)) == 1
