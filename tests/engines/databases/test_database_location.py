"""Names of databases."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sfumato.engines.databases.database_location import DatabaseLocation, database_file, names_database


def test_names_of_databases() -> None:
    assert names_database("sqlite:x.db")
    assert names_database("postgresql://h/d")
    assert not names_database("people.csv")
    assert not names_database("C:people.csv")
    assert database_file("duckdb:a/x.duckdb") == "a/x.duckdb"
    assert database_file("postgresql:dbname=x") is None
    assert database_file("") is None


def test_two_names_of_one_database(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "x.db").close()
    (tmp_path / "y.db").symlink_to(tmp_path / "x.db")
    one = DatabaseLocation("sqlite:x.db", tmp_path)
    assert one.is_same(DatabaseLocation("sqlite:y.db", tmp_path))
    assert one.is_same(DatabaseLocation(f"sqlite:{tmp_path}/x.db"))
    assert not one.is_same(DatabaseLocation("sqlite:z.db", tmp_path))
    assert not one.is_same(DatabaseLocation("duckdb:x.db", tmp_path))


def test_two_names_of_one_server(postgres: str, shared_postgres: str) -> None:
    one = DatabaseLocation("postgresql:" + postgres.replace("password=''", ""))
    same = DatabaseLocation(one.name + " connect_timeout=9 application_name=other")
    assert one.is_same(same)
    assert not one.is_same(DatabaseLocation("postgresql:" + shared_postgres.replace("password=''", "")))
