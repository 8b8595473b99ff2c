"""Golden D8."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.disclosure.exact_ratios import as_meant
from sfumato.errors import ParameterError
from sfumato.models import RecursiveCLDiversity
from tests.golden import book
from tests.models.histograms import spread
from tests.models.judging import agrees, has_room
from tests.oracles.models_oracle import recursive_c_l_diversity
from tests.strategies import grouped_tables

CONFORMING = [
    RecursiveCLDiversity(c=2, l=2),
    RecursiveCLDiversity(c=1.5, l=1, strict=False),
    RecursiveCLDiversity(c=2, l=1, strict=False, missing="no value"),
    RecursiveCLDiversity(c=2, l=2, missing="no value"),
]
SETTINGS = st.tuples(st.sampled_from([0.5, 1, 1.5, 5 / 3, 2, 3, 4.5]), st.integers(1, 4), st.booleans())


@pytest.mark.parametrize(
    ("c", "strict", "holds"), [(3, True, False), (3, False, True), (3.01, True, True), (2.9, False, False)]
)
def test_table_2_4(c, strict, holds):
    """Golden D8: counts (2,1) and (3,1) with l = 2 need c > 3, or c >= 3 where equality is enough."""
    model = RecursiveCLDiversity(c=c, l=2, strict=strict)
    assert model.holds(book.patients_3anon()).all() == holds
    assert model.measure(book.patients_3anon()) == 3


@pytest.mark.parametrize(("l", "level"), [(1, 0.8), (2, 4), (3, 8), (4, math.inf)])
def test_counts_go_from_largest_to_smallest(l, level):
    """By hand: 8, 1, 1 with l = 2 is 8 < c (1 + 1); with l = 3 it is 8 < c 1; a fourth value there is not."""
    groups = spread([[1, 8, 1]])
    assert RecursiveCLDiversity(c=1, l=l).level(groups).tolist() == [level]
    if level < math.inf:
        assert not RecursiveCLDiversity(c=level, l=l).holds(groups).any()
        assert RecursiveCLDiversity(c=level + 0.001, l=l).holds(groups).all()


def test_fewer_than_l_values_always_fail():
    assert not RecursiveCLDiversity(c=10**9, l=3, strict=False).holds(spread([[5, 5]])).any()


def test_a_ratio_that_is_no_binary_number_is_met_exactly():
    """10 < c 3 with c = 10/3 is false; the double nearest to 10/3 lies above it and must not decide."""
    groups = spread([[10, 3]])
    assert not RecursiveCLDiversity(c=10 / 3, l=2).holds(groups).any()
    assert RecursiveCLDiversity(c=10 / 3, l=2, strict=False).holds(groups).all()


@pytest.mark.parametrize(("setting", "value"), [("c", 0), ("c", math.inf), ("l", 0), ("l", 2.0), ("strict", 1)])
def test_wrong_settings(setting, value):
    with pytest.raises(ParameterError, match=f"'{setting}' of RecursiveCLDiversity must be"):
        RecursiveCLDiversity(**{"c": 3, "l": 2, setting: value})


@given(grouped_tables(max_repeats=3, max_sensitive=1), SETTINGS)
def test_like_its_twin(pair, settings):
    c, l, strict = settings
    model = RecursiveCLDiversity(c=c, l=l, strict=strict)
    assert agrees(model, lambda group, _: recursive_c_l_diversity(group, as_meant(c), l, strict), *pair)


@given(grouped_tables(max_sensitive=1), SETTINGS)
def test_room_is_an_upper_bound(pair, settings):
    c, l, strict = settings
    model = RecursiveCLDiversity(c=c, l=l, strict=strict)
    assert has_room(model, lambda group, _: recursive_c_l_diversity(group, as_meant(c), l, strict), *pair)
