"""Data from databases, as commands take them; `tests/cli/test_init.py` makes a plan of one."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import duckdb
import pytest

from sfumato.cli.data_source import name_in_results, readable_source
from sfumato.engines.read_options import DETECTED
from tests.cli.commands import refused, sfumato

ROWS = [(20 + place // 6, "mf"[place // 3 % 2], ("flu", "cold", "flu", "gout")[place % 4]) for place in range(24)]
"""Groups of three in `age` and `sex`; in each of them the illnesses of three neighbours, at least two different."""

CHECK = ["--quasi", "age,sex", "--sensitive", "ill"]


@pytest.fixture(params=["sqlite", "duckdb"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    path = tmp_path / "x.db"
    connect = sqlite3.connect if request.param == "sqlite" else duckdb.connect
    connection = connect(str(path))
    connection.execute("CREATE TABLE people (age INTEGER, sex VARCHAR, ill VARCHAR)")
    connection.executemany("INSERT INTO people VALUES (?, ?, ?)", ROWS)
    connection.commit()
    connection.close()
    return f"{request.param}:{path}"


def as_file(folder: Path) -> Path:
    """The same rows in a file."""
    (folder / "x.csv").write_text("age,sex,ill\n" + "".join(f"{a},{s},{i}\n" for a, s, i in ROWS))
    return folder / "x.csv"


def test_a_table_of_a_database_is_checked_as_a_file_is(database: str, tmp_path: Path) -> None:
    file = json.loads(sfumato("check", as_file(tmp_path), *CHECK, "--format", "json").stdout)
    told = sfumato("check", database, "--table", "people", *CHECK, "--format", "json")
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert found.pop("file").startswith("table 'people' of the ")
    assert file.pop("file") == str(tmp_path / "x.csv")
    assert found == file
    assert (found["k"], found["sensitive"]["ill"]["distinct"]) == (3, 2)


def test_a_query_of_a_database_is_checked_and_judged(database: str) -> None:
    query = "SELECT age, ill FROM people"
    assert sfumato("check", database, "--query", query, "--quasi", "age", "--model", "k_anonymity:k=6").exit_code == 0
    assert sfumato("check", database, "--query", query, "--quasi", "age", "--model", "k_anonymity:k=7").exit_code == 1


def test_a_table_of_a_database_is_attacked(database: str, tmp_path: Path) -> None:
    original = as_file(tmp_path)
    attack = [*CHECK, "--original", original, "--attack", "naive_bayes_inference", "--format", "json"]
    told = sfumato("attack", database, "--table", "people", *attack)
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["attacks"] == json.loads(sfumato("attack", original, *attack).stdout)["attacks"]


def test_a_database_needs_a_table_or_a_query_and_a_file_has_none(database: str, tmp_path: Path) -> None:
    assert "'table' or 'query'" in refused(sfumato("check", database, "--quasi", "age"), 2)
    said = refused(sfumato("check", tmp_path / "x.csv", "--table", "people", "--quasi", "age"), 2)
    assert "--table and --query are for databases" in said


def test_results_name_no_connection(database: str, tmp_path: Path) -> None:
    source = readable_source(database, "people", None, DETECTED)
    assert str(tmp_path) not in name_in_results(database, source)
