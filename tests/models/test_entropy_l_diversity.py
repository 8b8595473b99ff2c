"""Golden D7."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.disclosure.exact_ratios import as_meant
from sfumato.disclosure.groups import Groups
from sfumato.errors import ParameterError
from sfumato.models import EntropyLDiversity
from tests.golden import book
from tests.models.histograms import huge, spread
from tests.models.judging import agrees, has_room
from tests.oracles.models_oracle import entropy_l_diversity, entropy_level
from tests.strategies import grouped_tables

CONFORMING = [EntropyLDiversity(l=2), EntropyLDiversity(l=2.6), EntropyLDiversity(l=2, missing="no value")]
LEVELS = st.sampled_from([1, 1.2, 1.5, 1.8, 2, 2.5, 8 / 3, 3, 4])


def test_example_2_7():
    """Golden D7: log 1.8899 and log 1.7548; the book rounds to 1.9 and 1.8."""
    found = sorted(EntropyLDiversity(l=1).level(book.patients_3anon()))
    assert found == pytest.approx([1.7548, 1.8899], abs=5e-5)


@pytest.mark.parametrize(("l", "holds"), [(1.7547, True), (1.7548, False), (1.8, False), (1.9, False)])
def test_the_books_1_8_is_a_rounding(l, holds):
    assert EntropyLDiversity(l=l).holds(book.patients_3anon()).all() == holds


def test_the_whole_table():
    """Golden D7: exp(entropy) of Table 2.4 as one group is 2.6005."""
    table = book.table("patients_3anon", quasi=["Job"], sensitive=["Disease"])
    whole = Groups.of(table, [])
    assert EntropyLDiversity(l=1).measure(whole) == pytest.approx(2.6005, abs=5e-5)


@pytest.mark.parametrize("values", [1, 2, 3, 7, 11])
@pytest.mark.parametrize("often", [1, 3, 10])
def test_equally_frequent_values_reach_their_number_exactly(values, often):
    groups = spread([[often] * values])
    assert EntropyLDiversity(l=values).level(groups).tolist() == [values]
    assert EntropyLDiversity(l=values).holds(groups).all()
    assert not EntropyLDiversity(l=math.nextafter(values, math.inf)).holds(groups).any()


def test_unequal_values_can_reach_a_whole_level_exactly():
    """By hand: shares 1/2 and four times 1/8 have 1/2 + 4 * 3/8 = 2 bits, as much as four equal values."""
    groups = spread([[4, 1, 1, 1, 1], [40, 10, 10, 10, 10], [5, 1, 1, 1, 1]])
    assert EntropyLDiversity(l=4).holds(groups).tolist() == [True, True, False]
    assert not EntropyLDiversity(l=4.000000000001).holds(groups).any()


def test_one_record_off_among_a_hundred_million():
    """exp(entropy) of (n + 1, n - 1) misses 2 by about 1 / (2 n^2): far below what floating point can see."""
    n = 10**8
    groups = huge([[n, n], [n + 1, n - 1]], ["a", "b"])
    assert EntropyLDiversity(l=2).level(groups) == pytest.approx([2, 2], abs=1e-12)
    assert EntropyLDiversity(l=2).holds(groups).tolist() == [True, False]


@pytest.mark.parametrize("l", [0.5, math.nan, math.inf, "2", True])
def test_l_is_a_number_from_1(l):
    with pytest.raises(ParameterError, match="'l' of EntropyLDiversity must be number >= 1"):
        EntropyLDiversity(l=l)


@given(grouped_tables(max_repeats=3, max_sensitive=1), LEVELS)
def test_like_its_twin(pair, l):
    meant = as_meant(l)
    assert agrees(EntropyLDiversity(l=l), lambda group, _: entropy_l_diversity(group, meant), *pair)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=6))
def test_level_by_the_formula(counts):
    values = [str(place) for place, often in enumerate(counts) for _ in range(often)]
    assert EntropyLDiversity(l=1).level(spread([counts])) == pytest.approx([entropy_level(values)])


@given(st.lists(st.integers(1, 12), min_size=2, max_size=4), st.integers(-3, 3))
def test_exact_within_a_hair_of_the_level(counts, steps):
    """Settings a few floating-point steps from a group's own level are decided as whole numbers decide them."""
    groups = spread([counts])
    l = float(EntropyLDiversity(l=1).level(groups)[0])
    for _ in range(abs(steps)):
        l = math.nextafter(l, math.inf if steps > 0 else 1)
    values = [str(place) for place, often in enumerate(counts) for _ in range(often)]
    expected = entropy_l_diversity(values, as_meant(l))
    assert EntropyLDiversity(l=l).holds(groups).tolist() == [expected]


@given(grouped_tables(max_sensitive=1), LEVELS)
def test_room_is_an_upper_bound(pair, l):
    meant = as_meant(l)
    assert has_room(EntropyLDiversity(l=l), lambda group, _: entropy_l_diversity(group, meant), *pair)


def test_least_size():
    assert [EntropyLDiversity(l=l).bounds.least_size() for l in (1, 1.1, 2, 2.5)] == [1, 2, 2, 3]
