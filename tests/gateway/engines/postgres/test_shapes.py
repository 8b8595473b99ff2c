"""Shapes: what tables have, and what views would show."""

from __future__ import annotations

import psycopg
import pytest

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.deployment.choices import ChoiceColumn
from sfumato.gateway.engines.postgres.shapes import column_types, key_types, shape_of
from tests.gateway.engines.postgres import shop


def test_types_are_spelled_as_the_server_does(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        connection.execute('CREATE TABLE "T" (a integer, b numeric(12, 2), c varchar(5), d timestamptz, e text[])')
        assert column_types(connection, "T", "public") == column_types(connection, "T") == {
            "a": "integer", "b": "numeric(12,2)", "c": "character varying(5)", "d": "timestamp with time zone",
            "e": "text[]",
        }  # fmt: skip
        with pytest.raises(PolicyError, match="no table 't'"):
            column_types(connection, "t")


def test_a_shape_is_that_of_the_view(postgres: str) -> None:
    shop.fill(postgres)
    with psycopg.connect(postgres) as connection:
        shape = shape_of(connection, shop.select(shop.ORDERS))
        assert shape is not None
        assert [name for name, _, _ in shape] == ["id", "customer", "amount"]
        assert shape_of(connection, shop.select('SELECT "nothing" FROM "public"."orders"')) is None
        assert connection.execute("SELECT 1").fetchall() == [(1,)]  # the transaction goes on


@pytest.mark.parametrize("column", [{"key": "no"}, {"column": "no"}, {"table": "no"}])
def test_choices_need_their_columns(postgres: str, column: dict[str, str]) -> None:
    shop.fill(postgres)
    chosen = ChoiceColumn(**{"table": "customer", "key": "id", "column": "income", **column})
    with psycopg.connect(postgres) as connection, pytest.raises(PolicyError, match=r"no (column|table) 'no'"):
        key_types(connection, [chosen], [])
