from __future__ import annotations

import sqlite3
import tomllib
from pathlib import Path

import pytest

from sfumato.datasets import write_patients
from sfumato.engines.databases.database_location import DatabaseLocation
from sfumato.engines.databases.database_query import DatabaseQuery
from sfumato.engines.read_options import ReadOptions
from sfumato.plan import Plan
from sfumato.plan.drafting import draft, plan_tables
from sfumato.plan.proposal import Proposal


def test_a_draft_is_a_plan_that_runs(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "plans").mkdir()
    table = write_patients(tmp_path / "data" / "patients.csv", 600)
    plan = tmp_path / "plans" / "plan.toml"
    text = draft(Proposal.of_file(table), plan)
    plan.write_text(text)
    found = tomllib.loads(text)
    assert found["data"] == {"path": "../data/patients.csv", "missing": []}
    assert found["models"] == [
        {"name": "k_anonymity", "k": 5},
        {"name": "distinct_l_diversity", "l": 2, "sensitive": "diagnosis"},
    ]
    assert found["algorithm"]["name"] == "mondrian"
    assert found["run"] == {"seed": 0}
    outcome = Plan.read(plan).run()
    assert all(verdict.holds for verdict in outcome.verdicts)
    assert (tmp_path / "plans" / "patients_release.csv").exists()


def test_a_newcomer_finds_the_reason_above_every_column(tmp_path: Path) -> None:
    lines = draft(Proposal.of_file(write_patients(tmp_path / "p.csv", 200)), tmp_path / "plan.toml").splitlines()
    headers = [place for place, line in enumerate(lines) if line.startswith("[")]
    assert all(lines[place - 1].startswith("#") for place in headers if lines[place] != "[data]")
    assert any("sfumato publish plan.toml" in line for line in lines)


def test_separator_and_encoding_are_kept(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_bytes("age;stadt\n1;Köln\n2;Ulm\n".encode("latin-1"))
    text = draft(
        Proposal.of_file(tmp_path / "l.csv", ReadOptions(separator=";", encoding="latin-1")), tmp_path / "plan.toml"
    )
    assert tomllib.loads(text)["data"] == {"path": "l.csv", "separator": ";", "encoding": "latin-1", "missing": []}


def test_a_note_is_a_comment_of_its_column(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("born;cost;seen\n1.12.1985;12,5;1/2/2020\n1.2.1990;7;3/4/2021\n")
    text = draft(Proposal.of_file(tmp_path / "n.csv"), tmp_path / "plan.toml")
    columns = tomllib.loads(text)["columns"]
    assert columns["born"]["format"] == "dd.mm.yyyy"
    assert columns["cost"]["format"] == "1.234,5"
    assert "format" not in columns["seen"]
    assert "# It can be read as dd/mm/yyyy or mm/dd/yyyy" in text.split("[columns.cost]")[1].split("[columns.seen]")[0]
    assert max(map(len, text.splitlines())) <= 150


def test_the_limit_of_suppression_counts_persons_if_there_is_a_person_column(tmp_path: Path) -> None:
    for key, unit in (("patient_id", "persons"), ("town", "records")):
        rows = "".join(f"{number // 2 + 1000},{number % 30 + 20}\n" for number in range(60))
        (tmp_path / "v.csv").write_text(f"{key},age\n{rows}")
        text = draft(Proposal.of_file(tmp_path / "v.csv"), tmp_path / "plan.toml")
        assert f"# The share of {unit} that may be suppressed" in text


def test_quasi_columns_state_their_type(tmp_path: Path) -> None:
    write_patients(tmp_path / "patients.csv", 200, seed=1)
    columns = tomllib.loads(draft(Proposal.of_file(tmp_path / "patients.csv"), tmp_path / "plan.toml"))["columns"]
    assert {name for name, column in columns.items() if "type" in column} == {
        name for name, column in columns.items() if column["role"] == "quasi"
    }
    assert columns["age"]["type"] == "number"


def test_the_names_of_files_do_not_depend_on_folders_named_as_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite3.connect(tmp_path / "x.db") as connection:
        connection.execute("CREATE TABLE people AS SELECT 1 AS age")
    connection.close()
    (tmp_path / "people").mkdir()
    monkeypatch.chdir(tmp_path)
    output = plan_tables(
        Proposal.of_database(DatabaseQuery(DatabaseLocation("sqlite:x.db"), "people")), tmp_path / "plan.toml"
    )["output"]
    assert output["path"] == "people_release.csv"
