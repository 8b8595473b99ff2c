"""Parameters: each comes back from the server as it was sent."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import StatementError
from sfumato.gateway.engines.postgres.parameters import bind_parameters
from tests.examples import examples

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
VALUES = (
    st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=6)
    | TEXTS
    | st.dates()
    | st.datetimes()
    | st.datetimes(timezones=st.just(UTC), min_value=datetime(100, 1, 1), max_value=datetime(9000, 1, 1))
    | st.none()
)


@examples(300)
@given(value=VALUES)
def test_what_is_sent_is_what_was_meant(shared_connection: psycopg.Connection, value: object) -> None:
    sent = bind_parameters([value])
    result = shared_connection.pgconn.exec_params(b"SELECT $1", sent.values, sent.types)
    loaded = psycopg.adapt.Transformer(shared_connection)
    loaded.set_pgresult(result)
    found = loaded.load_row(0, tuple)
    assert found is not None
    assert found[0] == value


@pytest.fixture(scope="module")
def shared_connection(shared_postgres: str):
    with psycopg.connect(shared_postgres, autocommit=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1, 23), (2**31, 20), (-(2**31), 23), (2**63, 1700), (True, 16), (1.5, 701), (Decimal("1.5"), 1700), ("x", 0),
        (date(2020, 1, 1), 1082), (datetime(2020, 1, 1), 1114), (datetime(2020, 1, 1, tzinfo=UTC), 1184), (None, 0),
    ],
)  # fmt: skip
def test_types_are_told(value: object, kind: int) -> None:
    assert bind_parameters([value]).types == (kind,)


@pytest.mark.parametrize("value", [b"x", [1], {"a": 1}, object(), 1j])
def test_other_types_are_refused(value: object) -> None:
    with pytest.raises(StatementError, match="parameter 2 is of a type"):
        bind_parameters([1, value])


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_characters_that_nobody_knows_are_refused(text: str) -> None:
    with pytest.raises(StatementError, match="parameter 1 has a character"):
        bind_parameters([text])
