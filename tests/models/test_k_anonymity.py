"""Golden D1 and D2."""

from __future__ import annotations

import pytest
from hypothesis import given

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.disclosure.table_view import TableView
from sfumato.errors import ParameterError, SchemaError
from sfumato.models import KAnonymity
from sfumato.operations.generalize import generalize_levels
from tests.golden import book
from tests.models.judging import agrees, has_room
from tests.oracles.models_oracle import k_anonymity
from tests.strategies import grouped_tables

CONFORMING = [KAnonymity(k=1), KAnonymity(k=5)]
QUASI = ["Job", "Sex", "Age"]


@pytest.mark.parametrize(("name", "k"), [("patients_raw", 1), ("patients_3anon", 3), ("external_4anon", 4)])
def test_the_books_tables(name, k):
    """Golden D1: Table 2.2 is 1-anonymous, Table 2.4 3-anonymous and Table 2.5 4-anonymous, and no more."""
    groups = book.groups(name, quasi=QUASI)
    assert KAnonymity(k=k).measure(groups) == k
    assert KAnonymity(k=k).holds(groups).all()
    assert not KAnonymity(k=k + 1).holds(groups).all()


def test_the_running_example_is_the_books_table():
    """`hospital()` one level up is Table 2.4."""
    candidate = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1})
    assert sorted(candidate.groups().sizes) == sorted(book.patients_3anon().sizes)


def two_quasi_identifiers() -> Table:
    """Golden D2's counter-example."""
    schema = Schema.of(quasi=["A", "B", "C", "D"], quasi_identifiers={"first": ["A", "B"], "second": ["C", "D"]})
    rows = {
        "A": ["a1", "a1", "a2", "a2"],
        "B": ["b1", "b1", "b2", "b2"],
        "C": ["c1", "c2", "c1", "c2"],
        "D": ["d1", "d2", "d1", "d2"],
    }
    return Table.of_rows(schema, rows)


@pytest.mark.parametrize(("quasi", "level"), [("first", 2), ("second", 2), ("", 1)])
def test_several_quasi_identifiers(quasi, level):
    """Golden D2: 2-anonymous on AB and on CD, 1-anonymous on ABCD."""
    table = two_quasi_identifiers()
    verdict = KAnonymity(k=2, quasi=quasi).check(TableView(table=table))
    assert (verdict.level, verdict.holds) == (level, level >= 2)


def test_each_quasi_identifier_has_its_own_k():
    table = two_quasi_identifiers()
    both = KAnonymity(k=2, quasi="first") & KAnonymity(k=3, quasi="second")
    assert [member.check(TableView(table=table)).holds for member in both.members()] == [True, False]


def test_a_quasi_identifier_nobody_named():
    table = two_quasi_identifiers()
    with pytest.raises(SchemaError, match="did you mean 'first'"):
        KAnonymity(k=2, quasi="frist").check(TableView(table=table))


@pytest.mark.parametrize("k", [0, -1, 2.0, True, "3", None])
def test_k_is_a_whole_number_from_1(k):
    with pytest.raises(ParameterError, match="'k' of KAnonymity must be int >= 1"):
        KAnonymity(k=k)


@given(grouped_tables(max_repeats=3))
def test_like_its_twin(pair):
    assert agrees(KAnonymity(k=3), lambda group, _: k_anonymity(group, 3), *pair)


@given(grouped_tables(max_rows=7))
def test_room_is_an_upper_bound(pair):
    assert has_room(KAnonymity(k=2), lambda group, _: k_anonymity(group, 2), *pair)
