"""The order of rows: no setting of a session makes different values equal, and so shows the order of the table."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from sqlglot import exp

from sfumato.gateway.views.unlinked_rows import distinguishing_key

PAIRS = {
    "integer": ("integer", "7", "8"),
    "decimal": ("numeric", "1.0", "1.00"),
    "float": ("double precision", "1.0000000000000002", "1.0000000000000004"),
    "single": ("real", "1.0000001", "1.0000002"),
    "zero": ("double precision", "0", "-0"),
    "boolean": ("boolean", "true", "false"),
    "date": ("date", "2026-01-02", "2026-01-03"),
    "timestamp": ("timestamp", "2026-01-02 03:04:05.000001", "2026-01-02 03:04:05.000002"),
    "zoned": ("timestamp with time zone", "2026-10-25 00:30:00+00", "2026-10-25 01:30:00+00"),
    "text": ("text", "a", "A"),
    "place": ("point", "(1.0000000000000002,0)", "(1.0000000000000004,0)"),
    "many": ("double precision[]", "{1.0000000000000002}", "{1.0000000000000004}"),
    "json": ("json", "[1]", "[2]"),
}
KINDS = {"single": "float", "zero": "float", "zoned": "timestamp", "place": "other", "many": "other", "json": "other"}
SETTINGS = {
    "extra_float_digits": "-15",
    "DateStyle": "SQL, DMY",
    "TimeZone": "Europe/Berlin",
    "IntervalStyle": "iso_8601",
}


@pytest.fixture
def rows(shared_postgres: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(shared_postgres) as connection:
        for name, value in SETTINGS.items():
            connection.execute("SELECT set_config(%s, %s, false)", [name, value])
        yield connection
        connection.rollback()


@pytest.mark.parametrize("name", PAIRS)
def test_different_values_are_never_equal(rows: psycopg.Connection, name: str) -> None:
    kind, one, other = PAIRS[name]
    rows.execute("DROP TABLE IF EXISTS pair")
    rows.execute(f"CREATE TABLE pair (place serial, value {kind})".encode())
    key = distinguishing_key(exp.column("value", quoted=True), KINDS.get(name, name), "postgres")
    asked = exp.select("place").from_("pair").order_by(key).sql("postgres").encode()
    orders = set()
    for given in ((one, other), (other, one)):
        rows.execute("TRUNCATE pair RESTART IDENTITY")
        rows.execute("INSERT INTO pair (value) VALUES (%s), (%s)", given)
        orders.add(tuple(given[place - 1] for (place,) in rows.execute(asked)))
    assert len(orders) == 1, orders


def test_duckdb_writes_every_value_in_one_way() -> None:
    assert distinguishing_key(exp.column("a"), "float", "duckdb").sql("duckdb") == "CAST(a AS TEXT)"
