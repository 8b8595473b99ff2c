from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.gateway.transforms import Bucket, ColumnType
from tests.gateway.transforms.asking import Engine
from tests.gateway.transforms.customers import CUSTOMERS

INTEGER, MONEY = ColumnType.of_duckdb("INTEGER"), ColumnType.of_duckdb("DECIMAL(10,2)")


@pytest.mark.parametrize("customer", CUSTOMERS, ids=lambda customer: customer.name)
def test_the_customers_of_the_thesis(customer, engine: Engine) -> None:
    """Kabir (2010), table 3.3; table 2.5 prints 50-60 for an age of 48, which does not contain it."""
    for transform, value, shown in (
        (Bucket(width=10), customer.age, customer.shown_age),
        (Bucket(width=10000), customer.income, customer.shown_income),
    ):
        low, high = transform.weaker(value, INTEGER)
        assert (transform.shown(low, INTEGER), high - low + 1) == (shown, transform.width)
        for type_name in ("INTEGER", "DECIMAL(10,2)", "DOUBLE PRECISION"):
            engine.fill(type_name, [str(value)])
            assert engine.weaker(transform, engine.type_of(type_name))[0][2] == shown


def test_the_ends_are_values_that_the_column_can_have() -> None:
    assert Bucket(width=10000).weaker(23000, INTEGER) == (20000, 29999)
    assert Bucket(width=10000).weaker(Decimal("23000.50"), MONEY) == (Decimal("20000.00"), Decimal("29999.99"))
    assert Bucket(width=1).weaker(7, INTEGER) == (7, 7)
    assert Bucket(width=10).weaker(None, INTEGER) is None


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1), st.integers(1, 10**6), st.integers())
def test_two_numbers_are_shown_alike_if_they_are_in_one_bucket_and_only_then(one, other, width, start) -> None:
    bucket = Bucket(width=width, start=start % 10**9)
    alike = (one - bucket.start) // width == (other - bucket.start) // width
    assert (bucket.weaker(one, INTEGER) == bucket.weaker(other, INTEGER)) == alike
    low, high = bucket.weaker(one, INTEGER)
    assert low <= one <= high
    assert high - low < width


@pytest.mark.parametrize("width", [0, -1, float("nan"), float("inf"), "10"])
def test_a_width_that_is_none_is_refused(width) -> None:
    with pytest.raises(ParameterError, match="'width' of Bucket"):
        Bucket(width=width)
