"""Golden D6."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError, SchemaError
from sfumato.models import DistinctLDiversity
from tests.golden import book
from tests.models.histograms import spread
from tests.models.judging import agrees, has_room
from tests.oracles.models_oracle import distinct_l_diversity
from tests.strategies import grouped_tables

CONFORMING = [DistinctLDiversity(l=3), DistinctLDiversity(l=2, missing="no value")]


def test_the_book_calls_table_2_4_2_diverse():
    groups = book.patients_3anon()
    assert DistinctLDiversity(l=2).holds(groups).all()
    assert not DistinctLDiversity(l=3).holds(groups).any()
    assert DistinctLDiversity(l=2).measure(groups) == 2


def test_anatomy_groups_are_2_diverse():
    """Table 3.3: rows 1 to 6 (all male) and 7 to 10 (all female) of Table 3.1."""
    groups = book.groups("anatomy_raw", quasi=["Sex"], sensitive=["Disease"])
    assert DistinctLDiversity(l=2).level(groups).tolist() == [2, 2]


def test_five_sick_of_a_thousand_allow_five_groups():
    """Golden D6, the limit example: 1000 patients, 5 of them with HIV."""
    groups = spread([[995, 5]])
    assert DistinctLDiversity(l=2).bounds.max_groups(groups, 2).tolist() == [5]


def test_room_looks_beyond_the_most_frequent_value():
    """8, 1, 1 with l = 3: every group needs two of the two rare records."""
    assert DistinctLDiversity(l=3).bounds.max_groups(spread([[8, 1, 1]]), 3).tolist() == [1]


def test_missing_is_a_value():
    assert DistinctLDiversity(l=2).measure(spread([[1, 1]], values=["flu", None])) == 2


def test_with_two_sensitive_columns_one_must_be_named():
    groups = book.groups("patients_3anon", quasi=["Job"], sensitive=["Disease", "Sex"])
    with pytest.raises(SchemaError, match="must name its sensitive column"):
        DistinctLDiversity(l=2).holds(groups)
    assert DistinctLDiversity(l=2, sensitive="Disease").holds(groups).all()
    assert not DistinctLDiversity(l=2, sensitive="Sex").holds(groups).any()


@pytest.mark.parametrize("l", [0, 1.5, True, "2"])
def test_l_is_a_whole_number_from_1(l):
    with pytest.raises(ParameterError, match="'l' of DistinctLDiversity must be int >= 1"):
        DistinctLDiversity(l=l)


@given(grouped_tables(max_repeats=3, max_sensitive=1), st.integers(1, 4))
def test_like_its_twin(pair, l):
    assert agrees(DistinctLDiversity(l=l), lambda group, _: distinct_l_diversity(group, l), *pair)


@given(grouped_tables(max_sensitive=1), st.integers(1, 3))
def test_room_is_an_upper_bound(pair, l):
    assert has_room(DistinctLDiversity(l=l), lambda group, _: distinct_l_diversity(group, l), *pair)
