"""What databases make sure of in their tables."""

from __future__ import annotations

import duckdb
import psycopg
import pytest

from sfumato.gateway.engines.constraints import Constraints
from sfumato.gateway.engines.duckdb.private_database import PrivateDuckDb
from sfumato.gateway.engines.postgres.table_catalogue import constraints_of

MADE = (
    "CREATE TABLE {} (id integer PRIMARY KEY, code integer UNIQUE, a integer NOT NULL, b integer NOT NULL, c integer, "
    "d integer, UNIQUE (a, b))"
)
INDEXED = "CREATE UNIQUE INDEX {0}_c ON {0} ((c + 1))"


@pytest.mark.parametrize(
    ("keys", "never_missing", "found"),
    [
        ([("visit",), ("id",)], {"id", "visit"}, ("id",)),
        ([("visit",)], {"id", "visit"}, ("visit",)),
        ([("visit",), ("a", "b")], {"a", "b"}, ("a", "b")),
        ([("id",)], set(), None),
        ([("a", "b")], {"a"}, None),
        ([], {"id"}, None),
    ],
)
def test_rows_are_told_apart_by_the_first_key_that_misses_nothing(keys, never_missing, found):
    assert Constraints(frozenset(never_missing), tuple(keys)).row_key("id") == found


def test_duckdb_tells_them_of_tables_alone(tmp_path):
    con = duckdb.connect()
    con.execute(MADE.format("Staff") + "; " + INDEXED.format("Staff"))
    con.execute("CREATE SCHEMA other; CREATE TABLE other.staff (id integer)")
    con.execute("CREATE VIEW seen AS FROM staff")
    (tmp_path / "a.csv").write_text("id\n1\n")
    private = PrivateDuckDb(con, keys={"staff": "id"}, files={"file": tmp_path / "a.csv"})
    keys = (("id",), ("a", "b"), ("code",))
    expected = Constraints(frozenset({"id", "a", "b"}), keys, frozenset({"id", "code", "a", "b", "c"}))
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


def test_postgres_tells_keys_and_all_that_may_not_repeat(postgres: str):
    with psycopg.connect(postgres) as connection:
        connection.execute(MADE.format("staff"))
        connection.execute(INDEXED.format("staff"))
        connection.execute("CREATE UNIQUE INDEX ON staff (b) WHERE d > 5")
        connection.execute("ALTER TABLE staff ADD COLUMN e integer, ADD EXCLUDE (e WITH =)")
        connection.execute("ALTER TABLE staff ADD COLUMN f integer NOT NULL UNIQUE DEFERRABLE INITIALLY DEFERRED")
    keys, distinct = (("id",), ("code",), ("a", "b")), frozenset({"id", "code", "a", "b", "c", "d", "e", "f"})
    assert constraints_of(postgres, "staff") == Constraints(frozenset({"id", "a", "b", "f"}), keys, distinct)


def test_postgres_says_nothing_of_tables_that_others_inherit_from(postgres: str):
    """Neither the key nor NOT NULL of the parent need hold in its children; they do in partitions."""
    with psycopg.connect(postgres) as connection:
        connection.execute("CREATE TABLE parent (id integer PRIMARY KEY); CREATE TABLE child () INHERITS (parent)")
        connection.execute("CREATE TABLE whole (id integer PRIMARY KEY) PARTITION BY RANGE (id)")
        connection.execute("CREATE TABLE part PARTITION OF whole FOR VALUES FROM (0) TO (9)")
        connection.execute("CREATE VIEW seen AS SELECT * FROM whole")
    assert constraints_of(postgres, "parent") == Constraints(distinct=frozenset({"id"}))
    assert constraints_of(postgres, "whole") == Constraints(frozenset({"id"}), (("id",),), frozenset({"id"}))
    assert constraints_of(postgres, "seen") == Constraints()


def test_postgres_knows_what_is_unique_in_one_part_of_a_table(postgres: str):
    with psycopg.connect(postgres) as connection:
        connection.execute("CREATE TABLE whole (id integer PRIMARY KEY, pay integer) PARTITION BY RANGE (id)")
        connection.execute("CREATE TABLE half PARTITION OF whole FOR VALUES FROM (0) TO (9) PARTITION BY RANGE (id)")
        connection.execute("CREATE TABLE part PARTITION OF half FOR VALUES FROM (0) TO (5)")
        connection.execute("CREATE UNIQUE INDEX ON part (pay)")
    assert constraints_of(postgres, "whole").distinct == {"id", "pay"}
