from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.transforms import ColumnType, FirstLetter
from tests.gateway.transforms.customers import CUSTOMERS

TEXT = ColumnType.of_duckdb("VARCHAR")


@pytest.mark.parametrize("customer", CUSTOMERS, ids=lambda customer: customer.name)
def test_the_customers_of_the_thesis(customer) -> None:
    assert FirstLetter().weaker(customer.name, TEXT) == customer.letter


def test_there_may_be_no_letter() -> None:
    assert FirstLetter().weaker("", TEXT) == ""
    assert FirstLetter().weaker(None, TEXT) is None
    assert FirstLetter().weaker("   ", ColumnType.of_postgres("character(3)")) == ""


@given(st.text(), st.text(), st.text(min_size=1, max_size=1))
def test_nothing_but_the_first_letter_matters(one: str, other: str, first: str) -> None:
    assert FirstLetter().weaker(first + one, TEXT) == FirstLetter().weaker(first + other, TEXT) == first
