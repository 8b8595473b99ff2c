"""DuckDB files: rows, and what a query may not do."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.engines.databases.duckdb_database import snapshot
from sfumato.errors import DataError, SchemaError, StatementError


@pytest.fixture
def database(tmp_path: Path) -> str:
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT range AS n, 'v' || range AS s, DATE '2020-01-01' AS d FROM range(3)"
        )
        connection.execute("CREATE SCHEMA more")
        connection.execute("CREATE TABLE more.t AS SELECT 7 AS n")
    return str(tmp_path / "x.duckdb")


def read(database: str, select: str) -> pa.Table:
    path = Path(database).with_suffix("")
    path.mkdir(exist_ok=True)
    snapshot(database, select, path)
    return pq.read_table(path)


def test_rows_keep_their_types(database: str) -> None:
    assert read(database, "SELECT * FROM t").to_pydict() == {
        "n": [0, 1, 2], "s": ["v0", "v1", "v2"], "d": [date(2020, 1, 1)] * 3,
    }  # fmt: skip
    assert read(database, 'SELECT * FROM "more"."t" -- seven').to_pydict() == {"n": [7]}


@pytest.mark.parametrize(
    "select",
    [
        "DROP TABLE t", "SELECT 1; SELECT 2", "SELECT * FROM nothing", "SELECT * FROM read_csv('/etc/passwd')",
        "COPY t TO 'x.csv'", "ATTACH 'y.duckdb'", "SET memory_limit = '1GB'", "SELECT * FROM '/etc/passwd'", "",
        "INSTALL httpfs", "CREATE TABLE u AS SELECT 1",
    ],
)  # fmt: skip
def test_anything_but_a_select_over_its_tables_is_refused(database: str, select: str) -> None:
    with pytest.raises(StatementError, match="is one SELECT over tables that the database has"):
        read(database, select)


def test_what_cannot_be_read(database: str, tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="more than one column called 'a'"):
        read(database, "SELECT n AS a, s AS a FROM t")
    with pytest.raises(DataError, match="a value made the query fail") as caught:
        read(database, "SELECT CAST(s AS INTEGER) AS i FROM t")
    assert "v0" not in str(caught.value)
    assert caught.value.__cause__ is None
    (tmp_path / "none.duckdb").write_text("canary")
    with pytest.raises(DataError, match="cannot be opened: it is none"):
        read(str(tmp_path / "none.duckdb"), "SELECT 1")
