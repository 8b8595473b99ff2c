from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.disclosure.exact_ratios import as_meant
from sfumato.knowledge.expectation import expectation, needed_support


@pytest.mark.parametrize(("people", "having", "sure"), [(6, 2, 0.7786), (3, 1, 0.2977), (3, 3, 0.7037)])
def test_the_nine_patients(people: int, having: int, sure: float) -> None:
    """Li and Li (2008), section IV-A, on Table I: men and ovarian, women and prostate cancer, women and flu."""
    assert expectation(np.array([people]), np.array([having / 9]))[0] == pytest.approx(sure, abs=5e-5)


def test_needed_among_the_nine_patients() -> None:
    """Six men are enough for ovarian cancer at 0.75 and too few at 0.80."""
    counts = np.array([2, 1, 3, 3])
    assert needed_support(counts, 0.75)[0] == pytest.approx(5.516, abs=5e-4)
    assert needed_support(counts, 0.80)[0] == pytest.approx(6.40, abs=5e-3)


def test_what_everybody_or_nobody_has() -> None:
    assert needed_support(np.array([5, 0]), 0.9).tolist() == [0, np.inf]
    assert expectation(np.array([1.0, 4.0]), np.array([1.0, 0.0])).tolist() == [1, 0]


@given(
    st.lists(st.integers(0, 12), min_size=2, max_size=4).filter(any),
    st.sampled_from([0.5, 0.75, 0.875, 0.9, 0.99, 1 / 3, 5 / 9, 19 / 27]),
)
def test_bounds_are_exact(counts: list[int], least: float) -> None:
    """The smallest whole number of people that reaches the expectation, found by trying."""
    for count, needed in zip(counts, needed_support(np.array(counts), least), strict=True):
        if 0 < count < sum(counts):
            missed, people = 1 - Fraction(count, sum(counts)), 0
            while 1 - missed**people < as_meant(least):
                people += 1
            assert ceil(needed) == people


def test_bounds_near_whole_numbers_in_large_tables() -> None:
    """One of two is a power of a half: ten people reach 1 - 2^-10 exactly, and a hair more takes one person more."""
    half = np.array([500_000_000, 500_000_000])
    assert needed_support(half, 1 - 2**-10).tolist() == [10, 10]
    assert (needed_support(np.array([499_999_999, 500_000_001]), 1 - 2**-10) > [10, 9]).tolist() == [True, True]
