"""PostgreSQL: rows in one snapshot, types, and what is no SELECT."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.engines.databases import postgres_database
from sfumato.engines.databases.database_location import DatabaseLocation
from sfumato.engines.databases.database_query import DatabaseQuery
from sfumato.engines.databases.postgres_database import refuse_password, snapshot
from sfumato.errors import DataError, SchemaError, StatementError, UsageError


@pytest.fixture
def filled(postgres: str) -> str:
    with psycopg.connect(postgres) as connection:
        connection.execute(
            "CREATE TABLE t (id integer, big bigint, x float8, paid numeric(10, 2), any_number numeric, ok boolean, "
            "name text, born date, seen timestamp, at timestamptz, tags text[])"
        )
        connection.execute(
            "INSERT INTO t VALUES (1, 2, 1.5, 12.50, 7, true, 'Ann, \"A\"', '1980-01-02', '2020-01-01 02:03', "
            "'2020-01-01 02:03+00', '{a,b}'), (2, NULL, NULL, NULL, NULL, NULL, '', NULL, NULL, NULL, NULL), "
            "(3, NULL, NULL, NULL, NULL, NULL, '\\N', NULL, NULL, NULL, NULL)"
        )
    return postgres


def read(connection: str, select: str, folder: Path) -> pa.Table:
    rows = folder / "rows"
    rows.mkdir(parents=True)
    snapshot(connection, select, rows)
    assert {path.suffix for path in rows.iterdir()} == {".parquet"}
    return pq.read_table(rows)


def test_rows_keep_their_types_and_missing_values(filled: str, tmp_path: Path) -> None:
    first, *others = read(filled, "SELECT * FROM t ORDER BY id -- all of them", tmp_path).to_pylist()
    assert first == {
        "id": 1, "big": 2, "x": 1.5, "paid": Decimal("12.50"), "any_number": 7.0, "ok": True, "name": 'Ann, "A"',
        "born": date(1980, 1, 2), "seen": datetime(2020, 1, 1, 2, 3), "at": datetime(2020, 1, 1, 2, 3, tzinfo=UTC),
        "tags": "{a,b}",
    }  # fmt: skip
    assert [row["name"] for row in others] == ["", "\\N"]
    assert {value for row in others for name, value in row.items() if name not in ("id", "name")} == {None}


@pytest.mark.parametrize(
    "select",
    [
        "DELETE FROM t", "SELECT 1; SELECT 2", "SELECT * FROM nothing", "SELECT 1) TO PROGRAM 'touch /tmp/x' --", "",
        "SELECT 1 AS a) AS rows; DROP TABLE t; --", "INSERT INTO t (id) VALUES (9) RETURNING id", "COPY t TO STDOUT",
    ],
)  # fmt: skip
def test_anything_but_a_select_is_refused(filled: str, tmp_path: Path, select: str) -> None:
    with pytest.raises(StatementError, match="is one SELECT over tables that the database has"):
        snapshot(filled, select, tmp_path / "rows")
    with psycopg.connect(filled) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (3,)


def test_what_cannot_be_read(filled: str, tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    with pytest.raises(SchemaError, match="more than one column called 'a'"):
        snapshot(filled, "SELECT id AS a, big AS a FROM t", tmp_path / "rows")
    with pytest.raises(DataError, match="the query failed on a value") as caught:
        snapshot(filled, "SELECT name::integer FROM t", tmp_path / "rows")
    assert "Ann" not in str(caught.value)
    assert caught.value.__cause__ is None
    with pytest.raises(DataError, match="outside what can be read, such as a numeric NaN"):
        snapshot(filled, "SELECT 'NaN'::numeric(10, 2) AS n", tmp_path / "rows")


@pytest.mark.parametrize("piece", [1, 40, 1 << 20])
def test_pieces_keep_all_rows_in_order(postgres: str, tmp_path: Path, piece: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(postgres_database, "_PIECE", piece)
    found = read(postgres, "SELECT i, 'line ' || i AS t FROM generate_series(1, 50) i", tmp_path)
    assert found.to_pydict() == {"i": list(range(1, 51)), "t": [f"line {i}" for i in range(1, 51)]}
    (tmp_path / "none").mkdir()
    assert read(postgres, "SELECT 1 AS i WHERE false", tmp_path / "none").num_rows == 0


def test_values_do_not_depend_on_settings_of_the_user(postgres: str, tmp_path: Path) -> None:
    with psycopg.connect(postgres) as connection:
        (role,) = connection.execute("SELECT current_user").fetchone() or ("",)
        connection.execute(f"ALTER ROLE \"{role}\" SET datestyle = 'SQL, DMY'")
        connection.execute(f'ALTER ROLE "{role}" SET extra_float_digits = -10')
    found = read(postgres, "SELECT date '2020-03-04' AS d, 1::float8 / 3 AS x", tmp_path)
    assert found.to_pydict() == {"d": [date(2020, 3, 4)], "x": [1 / 3]}


def test_days_before_our_era_are_refused(postgres: str, tmp_path: Path) -> None:
    for moment in ("date", "timestamp"):
        with pytest.raises(DataError, match="a day before our era"):
            read(postgres, f"SELECT {moment} '0044-03-15 BC' AS d", tmp_path / moment)


def test_empty_texts_of_a_single_column_are_rows(postgres: str, tmp_path: Path) -> None:
    found = read(postgres, "SELECT t FROM (VALUES (''), (NULL), ('a'), ('')) AS rows(t)", tmp_path)
    assert found.to_pydict() == {"t": ["", None, "a", ""]}


def test_a_failing_query_prints_nothing(filled: str, tmp_path: Path, caplog: Any, capfd: Any) -> None:
    """psycopg logs what a rollback fails with, and that quotes the value on which a query failed."""
    (tmp_path / "rows").mkdir()
    with pytest.raises(DataError, match="the query failed on a value"):
        snapshot(filled, "SELECT CASE WHEN id > 0 THEN name::integer END AS n FROM t", tmp_path / "rows")
    assert "Ann" not in caplog.text
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""


def test_a_database_that_is_gone(filled: str, tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    with pytest.raises(DataError, match="cannot be reached"):
        snapshot("host=127.0.0.1 port=1 dbname=x connect_timeout=2", "SELECT 1", tmp_path / "rows")
    ended = "SELECT pg_terminate_backend(pg_backend_pid()), i FROM generate_series(1, 100000) i"
    with pytest.raises(DataError, match=r"ended the connection|cannot be reached"):
        snapshot(filled, ended, tmp_path / "rows")


@pytest.mark.parametrize("given", ["//u:secret@h/d", "host=h password=secret", "//h/d?password=secret"])
def test_passwords_are_refused_without_repeating_them(given: str) -> None:
    with pytest.raises(UsageError, match="a plan has no passwords") as caught:
        refuse_password(given)
    assert "secret" not in str(caught.value)
    refuse_password("//u@h/d")
    with pytest.raises(UsageError, match="is not written as PostgreSQL wants it"):
        refuse_password("nonsense = = x")


def test_the_tables_of_a_database_are_listed_if_one_is_misspelt(filled: str) -> None:
    location = DatabaseLocation("postgresql:" + filled.replace(" password=''", ""))
    assert "t" in location.table_names()
    with pytest.raises(SchemaError, match="the PostgreSQL database has no table 'nothere'; its tables: "):
        DatabaseQuery(location, "nothere").read()
