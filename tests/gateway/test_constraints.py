"""What databases make sure of in their tables."""

from __future__ import annotations

import duckdb
import psycopg
import pytest

from sfumato.gateway.constraints import Constraints
from sfumato.gateway.engines.private_duckdb import PrivateDuckDb
from sfumato.gateway.postgres.shapes import constraints_of

MADE = "CREATE TABLE {} (id integer PRIMARY KEY, code integer UNIQUE, a integer NOT NULL, b integer, UNIQUE (a, b))"


@pytest.mark.parametrize(
    ("never_missing", "unique", "one_row_each"),
    [({"id"}, {"id"}, True), ({"id"}, set(), False), (set(), {"id"}, False), ({"a"}, {"a"}, False)],
)
def test_everybody_has_one_row_where_the_key_is_always_there_and_never_repeats(never_missing, unique, one_row_each):
    assert Constraints(frozenset(never_missing), frozenset(unique)).has_one_row_each("id") == one_row_each


def test_duckdb_tells_them_of_tables_alone(tmp_path):
    con = duckdb.connect()
    con.execute(MADE.format("Staff") + "; CREATE SCHEMA other; CREATE TABLE other.staff (id integer)")
    con.execute("CREATE VIEW seen AS FROM staff")
    (tmp_path / "a.csv").write_text("id\n1\n")
    private = PrivateDuckDb(con, keys={"staff": "id"}, files={"file": tmp_path / "a.csv"})
    expected = Constraints(frozenset({"id", "a"}), frozenset({"id", "code"}))
    assert private.constraints("staff") == private.constraints("STAFF") == expected
    assert private.constraints("other.staff") == private.constraints("seen") == private.constraints("file")
    assert private.constraints("file") == Constraints()


def test_a_table_has_one_name_in_its_ledger_however_it_is_written(tmp_path):
    (tmp_path / "a.csv").write_text("id\n1\n")
    files = {"one": tmp_path / "a.csv", "Other": tmp_path / "." / "a.csv"}
    private = PrivateDuckDb(duckdb.connect(), keys={}, files=files)
    assert private.ledger_name("Staff") == private.ledger_name("main.STAFF") == "main.staff"
    assert private.ledger_name("other.staff") == "other.staff"
    assert private.ledger_name("one") == private.ledger_name("Other")


def test_postgres_tells_what_one_column_alone_makes_sure_of(postgres: str):
    with psycopg.connect(postgres) as connection:
        connection.execute(MADE.format("staff"))
        connection.execute("ALTER TABLE staff ADD COLUMN part integer, ADD COLUMN sum integer")
        connection.execute("CREATE UNIQUE INDEX ON staff (part) WHERE part > 5")
        connection.execute("CREATE UNIQUE INDEX ON staff ((sum + 1))")
    assert constraints_of(postgres, "staff") == Constraints(frozenset({"id", "a"}), frozenset({"id", "code"}))
