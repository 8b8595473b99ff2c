from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.transforms import ColumnType, DropHouseNumber
from tests.gateway.transforms.customers import CUSTOMERS

TEXT = ColumnType.of_duckdb("VARCHAR")


@pytest.mark.parametrize("customer", CUSTOMERS, ids=lambda customer: customer.name)
def test_the_customers_of_the_thesis(customer) -> None:
    assert DropHouseNumber().weaker(customer.address, TEXT) == customer.street


@pytest.mark.parametrize(
    ("address", "street"),
    [
        ("21, West St., TBA", "West St., TBA"),
        ("21 West St", "West St"),
        ("12a Foo", "Foo"),
        ("12-14 Foo", "Foo"),
        ("12 - 14a, Foo", "Foo"),
        ("2/21 Foo", "Foo"),
        ("Unit 2, 21 Foo", "Foo"),
        ("FLAT 2/21 Foo", "Foo"),
        ("No. 5 Foo", "Foo"),
        ("#5 Foo", "Foo"),
        ("21", ""),
        ("Foo", "Foo"),
        ("3rd Avenue", "3rd Avenue"),
        ("5 3rd Avenue", "3rd Avenue"),
        ("Foo 5", "Foo 5"),
        ("Notting Hill, QLD 4350", "Notting Hill, QLD 4350"),
        ("", ""),
    ],
)
def test_numbers_before_the_street(address: str, street: str) -> None:
    assert DropHouseNumber().weaker(address, TEXT) == street


@pytest.mark.parametrize(
    ("address", "street"),
    [
        ("Hauptstr. 12a, 1010 Wien", "Hauptstr., 1010 Wien"),
        ("Hauptstr. 5", "Hauptstr."),
        ("Straße des 17. Juni 135, Berlin", "Straße des 17. Juni, Berlin"),
        ("Weg 1 - 3, Dorf 7", "Weg, Dorf 7"),
        ("Hauptstr.", "Hauptstr."),
    ],
)
def test_numbers_after_the_street(address: str, street: str) -> None:
    assert DropHouseNumber(stands="after").weaker(address, TEXT) == street


def test_nothing_stays_nothing() -> None:
    assert DropHouseNumber().weaker(None, TEXT) is None


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from([", ", " ", "a, ", "B ", "/7 ", "-9, ", ". "]))
def test_houses_of_a_street_cannot_be_told_apart(one: int, other: int, between: str) -> None:
    made = DropHouseNumber()
    assert made.weaker(f"{one}{between}West St", TEXT) == made.weaker(f"{other}{between}West St", TEXT) == "West St"
