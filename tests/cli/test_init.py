from __future__ import annotations

import gzip
import json
import sqlite3
import tomllib
from pathlib import Path

import duckdb
import pytest

from sfumato.datasets import write_patients
from tests.cli.commands import refused, sfumato


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_patients(tmp_path / "patients.csv", 300)


def test_from_a_file_to_a_release_in_two_commands(table: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    told = sfumato("init", table, "--output", plan).stdout
    assert "diagnosis" in told
    assert f"sfumato publish {plan}" in told
    assert "hepatitis" not in told + plan.read_text()
    assert sfumato("publish", plan).exit_code == 0
    assert (tmp_path / "patients_report.html").exists()


def test_a_plan_is_not_overwritten_by_accident(table: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text("mine")
    assert "--force" in refused(sfumato("init", table, "-o", plan), 2)
    assert plan.read_text() == "mine"
    assert sfumato("init", table, "-o", plan, "--force").exit_code == 0
    assert tomllib.loads(plan.read_text())["models"][0] == {"name": "k_anonymity", "k": 5}


def test_as_json(table: Path, tmp_path: Path) -> None:
    told = json.loads(sfumato("init", table, "-o", tmp_path / "p.toml", "--format", "json").stdout)
    assert told["columns"]["name"]["role"] == "identifier"
    assert told["plan"] == str(tmp_path / "p.toml")


def test_no_file(tmp_path: Path) -> None:
    assert "no file" in refused(sfumato("init", tmp_path / "none.csv", "-o", tmp_path / "p.toml"), 4)
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_records(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("age,zip\n")
    said = refused(sfumato("init", tmp_path / "h.csv", "-o", tmp_path / "p.toml"), 4)
    assert "has no records" in said
    assert not (tmp_path / "p.toml").exists()


def test_dates_that_can_be_read_in_two_ways_are_said(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("born;sex\n3/12/1985;m\n1/2/1990;f\n")
    told = " ".join(sfumato("init", tmp_path / "d.csv", "-o", tmp_path / "p.toml").stdout.split())
    assert "Warning: column 'born' can be read as dd/mm/yyyy or mm/dd/yyyy, with different results" in told
    assert "3/12/1985" not in told


def test_texts_that_are_taken_as_missing_are_named(tmp_path: Path) -> None:
    file = tmp_path / "credit.csv"
    file.write_text("age,outcome\n" + "".join(f"{20 + place},{'a-'[place % 2]}\n" for place in range(20)))
    said = sfumato("init", file, "-o", tmp_path / "plan.toml").stdout
    assert "Taken as missing, in all columns: '-'." in said
    file.write_text("age,outcome\n" + "".join(f"{20 + place},{'+-'[place % 2]}\n" for place in range(20)))
    assert "Taken as missing" not in sfumato("init", file, "-o", tmp_path / "signs.toml").stdout
    other = write_patients(tmp_path / "patients.csv", 60)
    assert "Taken as missing" not in sfumato("init", other, "-o", tmp_path / "other.toml").stdout


def test_a_database_gets_a_plan_that_can_be_published(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "x.db") as connection:
        connection.execute("CREATE TABLE people (age INTEGER, sex TEXT, disease TEXT)")
        rows = [(20 + place % 7, "mf"[place % 2], ("flu", "cold", "gout")[place % 3]) for place in range(120)]
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
    connection.close()
    (tmp_path / "plans").mkdir()
    plan = tmp_path / "plans" / "p.toml"
    told = sfumato("init", f"sqlite:{tmp_path / 'x.db'}", "--table", "people", "-o", plan)
    assert told.exit_code == 0, told.output
    written = tomllib.loads(plan.read_text())
    asked = {"database": "sqlite:../x.db", "table": "people"}
    assert written["data"] == asked | {"missing": [], "unnamed_columns": "refuse"}
    assert written["output"]["path"] == "people_release.csv"
    assert sfumato("publish", plan).exit_code == 0
    said = refused(sfumato("init", tmp_path / "x.csv", "--table", "people", "-o", tmp_path / "q.toml"), 2)
    assert "--table and --query are for databases" in said


def test_packed_files_and_columns_without_a_name(tmp_path: Path) -> None:
    rows = "".join(f"{place},{20 + place % 7}\n" for place in range(60))
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(f",age\n{rows}".encode()))
    told = sfumato("init", tmp_path / "people.csv.gz", "-o", tmp_path / "p.toml").stdout
    assert "Left out: 'column1', which has no name in the file." in told
    written = tomllib.loads((tmp_path / "p.toml").read_text())
    assert list(written["columns"]) == ["age"]
    assert written["output"]["path"] == "people_release.csv"
    assert sfumato("publish", tmp_path / "p.toml").exit_code == 0


def test_decisions_and_sets_are_listed(table: Path, tmp_path: Path) -> None:
    told = sfumato("init", table, "-o", tmp_path / "p.toml").stdout
    assert "Decide\n  days, insurer  quasi: keep it if others may know it of a person" in told
    assert "Unique records, by small sets of columns\n" in told
    plain = json.loads(sfumato("init", table, "-o", tmp_path / "q.toml", "--format", "json").stdout)
    assert plain["decide"] == ["days", "insurer"]
    assert plain["singling_out"][0]["unique"] > 0.05


def test_a_series_of_columns_is_one_line(tmp_path: Path) -> None:
    header = ["age", *(f"q{number}" for number in range(1, 201))]
    rows = [
        ",".join(str(20 + place % 40 if at == 0 else place * at // 7 % 5) for at in range(201)) for place in range(60)
    ]
    (tmp_path / "s.csv").write_text("\n".join([",".join(header), *rows]) + "\n")
    told = sfumato("init", tmp_path / "s.csv", "-o", tmp_path / "p.toml").stdout
    assert "columns)" in told
    assert len(told.splitlines()) < 60
    assert sfumato("publish", tmp_path / "p.toml").exit_code == 0


def test_a_file_with_nothing_to_publish_says_so(tmp_path: Path) -> None:
    (tmp_path / "k.csv").write_text("id,label\n" + "".join(f"{place},n{place}\n" for place in range(20)))
    told = sfumato("init", tmp_path / "k.csv", "-o", tmp_path / "p.toml").stdout
    assert "Decide: no column is left to publish" in told


def test_a_file_that_is_not_there_is_said_before_a_plan_that_is(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text("")
    told = sfumato("init", tmp_path / "nothere.csv", "-o", tmp_path / "plan.toml")
    assert "there is no file" in refused(told, 4)


def test_results_that_would_be_replaced_are_named(tmp_path: Path) -> None:
    for name in ("a.csv", "a.tsv"):
        (tmp_path / name).write_text("age\n" + "".join(f"{20 + place % 7}\n" for place in range(60)))
    first = sfumato("init", tmp_path / "a.csv", "-o", tmp_path / "plan.toml")
    assert "replaces" not in first.stdout
    assert sfumato("publish", tmp_path / "plan.toml").exit_code == 0
    again = sfumato("init", tmp_path / "a.tsv", "-o", tmp_path / "other.toml").stdout
    assert "Note: 'a_report.html', 'a_certificate.json' exist, and publishing replaces them; name other files" in again


@pytest.mark.parametrize(("kind", "ending"), [("sqlite", "db"), ("duckdb", "duckdb")])
def test_a_file_that_is_a_database_is_said_to_be_one(tmp_path: Path, kind: str, ending: str) -> None:
    file = tmp_path / f"x.{ending}"
    with {"sqlite": sqlite3.connect, "duckdb": duckdb.connect}[kind](str(file)) as connection:
        connection.execute("CREATE TABLE people (age INTEGER)")
    said = refused(sfumato("init", file, "-o", tmp_path / "p.toml"), 4)
    assert f"file 'x.{ending}' is a database; name it {kind}:{file} with a table: --table NAME" in said
