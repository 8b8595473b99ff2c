"""Tables and queries of databases as plans and commands name them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sfumato.engines.databases.database_location import DatabaseLocation
from sfumato.engines.databases.database_query import DatabaseQuery
from sfumato.errors import DataError, UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "x.db") as connection:
        connection.execute('CREATE TABLE "odd ""name""" (n INTEGER)')
        connection.execute('INSERT INTO "odd ""name""" VALUES (7)')
    connection.close()
    return tmp_path


def test_a_table_and_a_query(folder: Path) -> None:
    table = DatabaseQuery(DatabaseLocation("sqlite:x.db", folder), 'odd "name"')
    query = DatabaseQuery(DatabaseLocation("sqlite:x.db", folder), query="SELECT 8 AS n; ")
    for asked, value in ((table, 7), (query, 8)):
        file = asked.read()
        assert pq.read_table(file.path).to_pydict() == {"n": [value]}
        assert file.typed
        assert file.described == asked.described
        assert file.path.parent.stat().st_mode & 0o077 == 0
    assert table.described == "table 'odd \"name\"' of the SQLite database"
    assert query.described == "the query to the SQLite database"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"database": "mysql:x", "table": "t"}, "is written sqlite:FILE"),
        ({"database": "sqlite:", "table": "t"}, "is written sqlite:FILE"),
        ({"database": "x.db", "table": "t"}, "is written sqlite:FILE"),
        ({"database": "sqlite:x.db"}, "needs 'table' or 'query'"),
        ({"database": "sqlite:x.db", "table": "t", "query": "SELECT 1"}, "needs 'table' or 'query'"),
        ({"database": "postgresql://u:secret@h/d", "table": "t"}, "a plan has no passwords"),
        ({"database": "postgresql://h/d?sslpassword=secret", "table": "t"}, "a plan has no passwords"),
    ],
)
def test_what_is_written_wrongly_is_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        DatabaseQuery(DatabaseLocation(given.pop("database")), **given)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no database file"):
        DatabaseQuery(DatabaseLocation("duckdb:x.duckdb", tmp_path), "t").read()


def test_a_representation_shows_no_query() -> None:
    assert "secret" not in repr(DatabaseQuery(DatabaseLocation("sqlite:x.db"), query="SELECT 'secret' AS n"))
