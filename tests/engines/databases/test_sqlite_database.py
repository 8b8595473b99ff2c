"""SQLite: types that fit all values, and statements that are no SELECT."""

from __future__ import annotations

import sqlite3
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.engines.databases.sqlite_database import snapshot
from sfumato.errors import DataError, SchemaError, StatementError


@pytest.fixture
def database(tmp_path: Path) -> str:
    with sqlite3.connect(tmp_path / "x.db") as connection:
        connection.execute("CREATE TABLE t (n INTEGER, x REAL, s TEXT, day TEXT, moment TEXT, mixed, empty)")
        connection.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, NULL)",
            [
                (1, 1.5, "a", "2020-01-02", "2020-01-02 03:04:05", 3),
                (2, 2, "", None, None, "canary"),
                (None, None, None, "2021-03-04", "2021-03-04 00:00:00", 1.5),
            ],
        )
    connection.close()
    return str(tmp_path / "x.db")


def read(database: str, select: str) -> pa.Table:
    path = Path(database).with_suffix("")
    path.mkdir(exist_ok=True)
    snapshot(database, select, path)
    return pq.read_table(path)


def test_a_column_has_the_type_that_fits_all_its_values(database: str) -> None:
    found = read(database, "SELECT * FROM t")
    assert found.schema.types == [
        pa.int64(), pa.float64(), pa.string(), pa.date32(), pa.timestamp("us"), pa.string(), pa.string(),
    ]  # fmt: skip
    assert found.to_pydict() == {
        "n": [1, 2, None],
        "x": [1.5, 2.0, None],
        "s": ["a", "", None],
        "day": [date(2020, 1, 2), None, date(2021, 3, 4)],
        "moment": [datetime(2020, 1, 2, 3, 4, 5), None, datetime(2021, 3, 4)],
        "mixed": ["3", "canary", "1.5"],
        "empty": [None] * 3,
    }


def test_a_text_far_down_is_seen_before_rows_are_read(database: str) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE long (n)")
        connection.executemany("INSERT INTO long VALUES (?)", [*((place,) for place in range(120_000)), ("x",)])
    connection.close()
    found = read(database, "SELECT n FROM long")
    assert found.schema.types == [pa.string()]
    assert found.num_rows == 120_001


def test_a_query_may_join_and_end_with_a_comment(database: str) -> None:
    select = "WITH a AS (SELECT n, s FROM t) SELECT a.n + 1 AS m, count(*) OVER () AS c FROM a WHERE n > 0 -- all"
    assert read(database, select).to_pydict() == {"m": [2, 3], "c": [2, 2]}


@pytest.mark.parametrize(
    "select",
    [
        "DELETE FROM t", "SELECT 1; SELECT 2", "SELECT * FROM nothing", "ATTACH 'y.db' AS y", "PRAGMA table_info(t)",
        "",
        "INSERT INTO t (n) VALUES (7) RETURNING n", "SELECT 1) UNION ALL SELECT (2", "SELECT writefile('x', 'y')",
    ],
)  # fmt: skip
def test_anything_but_a_select_is_refused(database: str, select: str) -> None:
    before = Path(database).read_bytes()
    with pytest.raises(StatementError, match="is one SELECT over tables that the database has"):
        read(database, select)
    assert Path(database).read_bytes() == before


def test_what_cannot_be_published_is_refused(database: str) -> None:
    with pytest.raises(SchemaError, match="column 'b' has binary values"):
        read(database, "SELECT CAST(s AS BLOB) AS b FROM t")
    with pytest.raises(DataError, match="the query failed on a value") as caught:
        read(database, "SELECT abs(-9223372036854775807 - n) AS a FROM t WHERE n = 1")
    assert caught.value.__cause__ is None
    with pytest.raises(DataError, match="cannot be read"):
        read(database, "SELECT load_extension('x')")


def test_what_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("canary")
    with pytest.raises(DataError, match="cannot be opened"):
        read(str(tmp_path / "x.db"), "SELECT 1")


def test_rows_are_those_of_one_moment(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody writes between the look at the types and the rows: nothing of it is seen."""
    from sfumato.engines.databases import sqlite_database

    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    plain = sqlite_database._columns

    def meddled(*given: Any) -> Any:
        found = plain(*given)
        with sqlite3.connect(database) as connection:
            connection.execute("INSERT INTO t (n) VALUES ('a text')")
        connection.close()
        return found

    monkeypatch.setattr(sqlite_database, "_columns", meddled)
    assert read(database, "SELECT n FROM t").to_pydict() == {"n": [1, 2, None]}
    connection.close()


def test_names_of_columns_are_those_of_the_query(database: str) -> None:
    with pytest.raises(SchemaError, match="more than one column called"):
        read(database, "SELECT p.*, v.* FROM t p JOIN t v ON p.n = v.n")
    found = read(database, "SELECT n, n + 1 AS N, rowid FROM t WHERE n = 1")
    assert found.to_pydict() == {"n": [1], "N": [2], "rowid": [1]}


@pytest.mark.parametrize("select", ["COMMIT", "END", "ROLLBACK", "SELECT 1;;"])
def test_statements_about_the_transaction_are_refused(database: str, select: str) -> None:
    with pytest.raises((StatementError, DataError)):
        read(database, select)


@pytest.mark.parametrize("text", ["2020-W01-1", "2020-01-02T03+01:00", "20200102T030405.123", "2020-01-02 3"])
def test_only_days_and_moments_that_are_written_out_are_dates(database: str, text: str) -> None:
    assert read(database, f"SELECT '{text}' AS d").to_pydict() == {"d": [text]}


def test_odd_values_become_texts(database: str) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute('CREATE TABLE odd (day TEXT, moment TEXT, big, "a.b" INTEGER)')
        rows = [("2020-02-30", "0000-05-05 00:00:00", 2**53 + 1, 7), ("2020-01-01", "2020-01-01 00:00:00", 1.5, 8)]
        connection.executemany("INSERT INTO odd VALUES (?, ?, ?, ?)", rows)
    connection.close()
    found = read(database, "SELECT * FROM odd")
    assert found.schema.types == [pa.string(), pa.string(), pa.string(), pa.int64()]
    assert found.to_pydict()["big"] == ["9007199254740993", "1.5"]


def test_a_database_that_is_cut_is_refused(database: str) -> None:
    with sqlite3.connect(database) as connection:
        connection.executemany("INSERT INTO t (n, s) VALUES (?, ?)", [(place, "x" * 50) for place in range(2000)])
    connection.close()
    for journal in ("delete", "wal"):
        with sqlite3.connect(database) as connection:
            connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.close()
        whole = Path(database).read_bytes()
        Path(database).write_bytes(whole[:-1000])
        with pytest.raises(DataError, match="incomplete: its file is shorter than it says"):
            read(database, "SELECT * FROM t")
        Path(database).write_bytes(whole)
