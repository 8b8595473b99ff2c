from __future__ import annotations

import psycopg
import pytest

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.table_catalogue import column_types


def test_types_are_spelled_as_the_server_does(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        connection.execute('CREATE TABLE "T" (a integer, b numeric(12, 2), c varchar(5), d timestamptz, e text[])')
        assert column_types(connection, "T", "public") == column_types(connection, "T") == {
            "a": "integer", "b": "numeric(12,2)", "c": "character varying(5)", "d": "timestamp with time zone",
            "e": "text[]",
        }  # fmt: skip
        with pytest.raises(PolicyError, match="no table 't'"):
            column_types(connection, "t")
