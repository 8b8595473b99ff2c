"""Golden D11 and B11."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.full_domain.lattice import Lattice
from sfumato.datasets import hospital
from sfumato.disclosure.exact_ratios import as_meant
from sfumato.errors import ParameterError
from sfumato.models import ConfidenceBounding
from sfumato.operations.generalize import generalize_levels
from tests.golden import book
from tests.models.histograms import spread
from tests.models.judging import agrees, has_room
from tests.oracles.models_oracle import confidence_bounding
from tests.strategies import grouped_tables

CONFORMING = [ConfidenceBounding(h=0.5), ConfidenceBounding(h=0.2, value="16")]
SHARES = st.sampled_from([0.1, 0.25, 1 / 3, 0.4, 0.5, 0.6, 2 / 3, 0.75, 1])


def test_table_2_4_gives_hiv_away():
    """Golden D11: Conf(QID -> HIV) is 75 %, in the group of artists; a bound of 10 % is broken."""
    groups = book.patients_3anon()
    model = ConfidenceBounding(h=0.1, value="HIV")
    assert sorted(model.level(groups)) == [pytest.approx(1 / 3), 0.75]
    assert not model.holds(groups).any()
    assert ConfidenceBounding(h=0.75, value="HIV").holds(groups).all()


def test_only_the_named_value_is_bounded():
    """Golden D11: of 90 flu, 5 HIV, 3 and 2 others, HIV alone can be bounded."""
    groups = spread([[90, 5, 3, 2]], values=["flu", "HIV", "gout", "cold"])
    assert ConfidenceBounding(h=0.05, value="HIV").holds(groups).all()
    assert ConfidenceBounding(h=0.05).level(groups).tolist() == [0.9]


def test_over_the_lattice():
    """Golden B11: Conf(QID -> HIV) is 1 at (0,*,*), 4/7 at the top and 3/4 everywhere else."""
    lattice = Lattice.over(hospital())
    for node in lattice:
        groups = generalize_levels(hospital(), dict(zip(lattice.columns, node, strict=True))).groups()
        expected = 1 if node[0] == 0 else 4 / 7 if node == lattice.top else 3 / 4
        assert ConfidenceBounding(h=0.5, value="HIV").measure(groups) == expected, node


@pytest.mark.parametrize(
    ("count", "size", "h"), [(1, 3, 1 / 3), (3, 10, 0.3), (7, 10, 0.7), (29, 100, 0.29), (8, 21, 8 / 21)]
)
def test_a_share_of_exactly_h_holds(count, size, h):
    groups = spread([[count, size - count], [count + 1, size - count]])
    assert ConfidenceBounding(h=h, value="v0").holds(groups).tolist() == [True, False]


def test_one_record_without_the_named_value_is_safe():
    groups = spread([[1, 0], [0, 1]])
    model = ConfidenceBounding(h=0.2, value="v0")
    assert model.holds(groups).tolist() == [False, True]
    assert (model.bounds.least_size(), ConfidenceBounding(h=0.2).bounds.least_size()) == (1, 5)


def test_an_unknown_value_is_refused_without_naming_those_there_are():
    with pytest.raises(ParameterError, match="column 'Disease'; none of its 3 different values") as refused:
        ConfidenceBounding(h=0.5, value="Gout").holds(book.patients_3anon())
    assert not any(word in str(refused.value) for word in ("HIV", "Flu", "Hepatitis"))


@pytest.mark.parametrize("value", ["30", "30.0", "3e1"])
def test_numbers_are_found_however_they_are_written(value):
    """Table 2.6 has a salary of 30 twice among ten."""
    groups = book.groups("salary_group", quasi=["Job", "Sex"], sensitive=["Salary"])
    assert ConfidenceBounding(h=0.5, value=value).level(groups).tolist() == [0.2]


def test_a_missing_value_can_be_bounded():
    groups = spread([[1, 3]], values=["flu", None])
    assert ConfidenceBounding(h=0.5, value="missing").level(groups).tolist() == [0.75]
    assert ConfidenceBounding(h=0.5).level(groups).tolist() == [0.75]


@pytest.mark.parametrize("h", [0, -0.1, 1.01, float("nan"), "0.5"])
def test_h_is_a_share(h):
    with pytest.raises(ParameterError, match="'h' of ConfidenceBounding must be number > 0 and <= 1"):
        ConfidenceBounding(h=h)


@given(grouped_tables(max_repeats=3, max_sensitive=1), SHARES)
def test_like_its_twin(pair, h):
    assert agrees(ConfidenceBounding(h=h), lambda group, _: confidence_bounding(group, as_meant(h), None), *pair)


@given(grouped_tables(max_repeats=3, max_sensitive=1), SHARES, st.data())
def test_like_its_twin_for_one_value(pair, h, data):
    text = data.draw(st.sampled_from(pair[0].domain("s0").texts))
    model = ConfidenceBounding(h=h, value="missing" if text is None else text)
    assert agrees(model, lambda group, _: confidence_bounding(group, as_meant(h), text, every=False), *pair)


@given(grouped_tables(max_sensitive=1), SHARES)
def test_room_is_an_upper_bound(pair, h):
    assert has_room(ConfidenceBounding(h=h), lambda group, _: confidence_bounding(group, as_meant(h), None), *pair)


@given(grouped_tables(max_sensitive=1, missing=False), SHARES, st.data())
def test_room_is_an_upper_bound_for_one_value(pair, h, data):
    text = data.draw(st.sampled_from(pair[0].domain("s0").texts))
    model = ConfidenceBounding(h=h, value=text)
    assert has_room(model, lambda group, _: confidence_bounding(group, as_meant(h), text, every=False), *pair)
