from __future__ import annotations

import duckdb
import pytest

from sfumato.gateway.engines.duckdb.owner_statements import returning_keys

KNOWN = {
    "INSERT INTO people VALUES (5, 'e')": {5},
    "insert into PEOPLE (id, name) select id + 10, name from people where id = 1": {11},
    "UPDATE people SET name = 'x' WHERE id IN (1, 2)": {1, 2},
    "UPDATE main.people SET name = o.name FROM other o WHERE o.id = people.id": {2},
    "DELETE FROM people WHERE name > 'b';": {3},
    "DELETE FROM people USING other WHERE people.id = other.id -- note": {2},
    "WITH w AS (SELECT 1 AS i) DELETE FROM people WHERE id IN (SELECT i FROM w)": {1},
    "DELETE FROM people WHERE FALSE": set(),
}
UNKNOWN = [
    "UPDATE people SET (id, name) = (7, 'x')",
    "UPDATE people SET id = id + 1",
    "UPDATE people SET name = 'x', ID = 7",
    "INSERT OR REPLACE INTO people VALUES (1, 'x')",
    "INSERT INTO people VALUES (1, 'x') ON CONFLICT DO NOTHING",
    "DELETE FROM people RETURNING name",
    "DELETE FROM other",
    "DELETE FROM shop.people",
    "DELETE FROM people; DELETE FROM people",
    "DELETE FROM people WHERE name = ';'",
    "TRUNCATE people",
    "DROP TABLE people",
    "CREATE TABLE people (id INTEGER)",
    "MERGE INTO people USING other ON people.id = other.id WHEN MATCHED THEN DELETE",
    "WITH w AS (DELETE FROM people RETURNING id) INSERT INTO people SELECT id + 1, 'x' FROM w",
    "ALTER TABLE people RENAME TO persons",
    "SELECT 1",
    "this is no SQL (",
    "",
]


@pytest.mark.parametrize("statement", KNOWN)
def test_the_keys_of_changed_rows_are_returned(statement: str) -> None:
    with duckdb.connect() as con:
        con.execute("CREATE TABLE people AS SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c')) t(id, name)")
        con.execute("CREATE TABLE other AS SELECT 2 AS id, 'z' AS name")
        before = set(con.execute("SELECT * FROM people").fetchall())
        returning = returning_keys(statement, "people", "id")
        assert returning is not None
        found = con.sql(returning).to_arrow_table()
        after = set(con.execute("SELECT * FROM people").fetchall())
    assert set(found.column(0).to_pylist()) == KNOWN[statement] == {row[0] for row in before ^ after}


@pytest.mark.parametrize("statement", UNKNOWN)
def test_what_could_change_more_than_it_tells_is_not_relied_upon(statement: str) -> None:
    assert returning_keys(statement, "people", "id") is None
