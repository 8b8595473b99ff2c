"""Tables and queries of databases as plans and commands name them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.engines.databases.database_location import DatabaseLocation
from sfumato.engines.databases.database_query import DatabaseQuery
from sfumato.engines.opening import open_file
from sfumato.errors import DataError, SchemaError, StatementError, UsageError


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


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_dates_in_a_column_of_texts_are_dates_and_codes_are_texts(tmp_path: Path, kind: str) -> None:
    connect = {"sqlite": sqlite3.connect, "duckdb": duckdb.connect}[kind]
    connection = connect(tmp_path / "d.db")
    connection.execute("CREATE TABLE t (born TEXT, seen TEXT, code TEXT)")
    rows = [("31.12.1950", "1999-01-02 ", "007"), ("01.02.1960", "1998-01-02", "7")]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    connection.commit()
    connection.close()
    file = DatabaseQuery(DatabaseLocation(f"{kind}:d.db", tmp_path), "t").read()
    table = Table.from_source(open_file(file), Schema.of(quasi=["born", "seen", "code"]))
    assert table.domain("born").texts == ("1950-12-31", "1960-02-01")
    assert table.domain("seen").texts == ("1998-01-02", "1999-01-02")
    assert table.domain("code").texts == ("007", "7")


@pytest.fixture(params=["sqlite", "duckdb"])
def two_tables(request: pytest.FixtureRequest, tmp_path: Path) -> DatabaseLocation:
    connection = {"sqlite": sqlite3.connect, "duckdb": duckdb.connect}[request.param](tmp_path / "d.db")
    for statement in ("CREATE TABLE visits (n INTEGER)", "CREATE VIEW persons AS SELECT 1 AS n"):
        connection.execute(statement)
    connection.commit()
    connection.close()
    return DatabaseLocation(f"{request.param}:d.db", tmp_path)


def test_a_database_without_a_table_lists_its_tables(two_tables: DatabaseLocation) -> None:
    with pytest.raises(UsageError, match=r"needs 'table' or 'query'.*--table.*; its tables: 'persons', 'visits'\.$"):
        DatabaseQuery(two_tables)


def test_a_misspelt_table_is_named_with_the_nearest(two_tables: DatabaseLocation) -> None:
    with pytest.raises(SchemaError, match="database has no table 'vists'; did you mean 'visits'"):
        DatabaseQuery(two_tables, "vists").read()
    with pytest.raises(SchemaError, match=r"has no table 'orders'; its tables: 'persons', 'visits'\.$"):
        DatabaseQuery(two_tables, "orders").read()
    with pytest.raises(StatementError, match="one SELECT over tables"):
        DatabaseQuery(two_tables, query="SELECT * FROM vists").read()


def test_of_many_tables_ten_are_listed(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "d.db") as connection:
        for number in range(13):
            connection.execute(f"CREATE TABLE t{number:02} (n INTEGER)")
    connection.close()
    location = DatabaseLocation("sqlite:d.db", tmp_path)
    with pytest.raises(UsageError, match="'t09' and 3 more"):
        DatabaseQuery(location)
    with pytest.raises(SchemaError, match=r"its tables: 't00', .*'t09' and 3 more"):
        DatabaseQuery(location, "zzzzzz").read()


def test_a_file_that_is_not_there_is_said_beside_a_table_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"needs 'table' or 'query'.*; there is no database file"):
        DatabaseQuery(DatabaseLocation("sqlite:x.db", tmp_path))
