from __future__ import annotations

import sqlite3
import tomllib
from pathlib import Path

import pytest
from benchmarks.files import adult_folder
from benchmarks.proposals import MOST_UNIQUE, published

from sfumato.datasets import write_patients
from sfumato.engines.databases.database_location import DatabaseLocation
from sfumato.engines.databases.database_query import DatabaseQuery
from sfumato.engines.read_options import ReadOptions
from sfumato.plan import Plan
from sfumato.plan.proposals.drafting import draft, plan_tables
from sfumato.plan.proposals.proposal import Proposal
from tests.plan.proposals.hard_files import ASKED, FILES, PERSONS, write_file


def test_a_draft_is_a_plan_that_runs(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "plans").mkdir()
    table = write_patients(tmp_path / "data" / "patients.csv", 600)
    plan = tmp_path / "plans" / "plan.toml"
    text = draft(Proposal.of_file(table), plan)
    plan.write_text(text)
    found = tomllib.loads(text)
    assert found["data"] == {"path": "../data/patients.csv", "missing": [], "unnamed_columns": "refuse"}
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


def test_a_plan_without_a_sensitive_column_asks_for_one(tmp_path: Path) -> None:
    said = {}
    for name in ("colour", "diagnosis", "target"):
        rows = [f"{20 + place % 7},{'mf'[place % 2]},{'rgb'[place % 3]}" for place in range(90)]
        (tmp_path / "t.csv").write_text("\n".join([f"age,sex,{name}", *rows]) + "\n")
        proposal = Proposal.of_file(tmp_path / "t.csv")
        said[name] = "# decide: no column is sensitive" in draft(proposal, tmp_path / "plan.toml")
        assert ("nothing_sensitive" in proposal.to_dict()) is said[name]
    assert said == {"colour": True, "diagnosis": False, "target": True}


def test_a_plan_that_publishes_nothing_does_not_ask_for_secrets(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("\n".join(["id,one", *(f"{place},x" for place in range(60))]) + "\n")
    proposal = Proposal.of_file(tmp_path / "t.csv")
    assert proposal.nothing_sensitive == ""
    assert "no column is left to publish" in draft(proposal, tmp_path / "plan.toml").replace("\n# ", " ")


def test_separator_and_encoding_are_kept(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_bytes("age;stadt\n1;Köln\n2;Ulm\n".encode("latin-1"))
    text = draft(
        Proposal.of_file(tmp_path / "l.csv", ReadOptions(separator=";", encoding="latin-1")), tmp_path / "plan.toml"
    )
    read = {"path": "l.csv", "separator": ";", "encoding": "latin-1", "missing": []}
    assert tomllib.loads(text)["data"] == read | {"unnamed_columns": "refuse"}


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


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_plan_as_proposed_is_published_and_singles_out_few(tmp_path: Path, name: str) -> None:
    """Of those who know all published quasi and plain columns, at most 5 % find a person of whom they are sure."""
    found = published(name, write_file(name, tmp_path, 120), tmp_path, PERSONS.get(name, ""))
    assert found.failure == ""
    assert found.unique is not None
    assert found.unique <= MOST_UNIQUE
    assert found.exposed == ()
    assert found.decide >= ASKED.get(name, 0)


@pytest.mark.parametrize(
    ("file", "failure"),
    [
        ("blood_transfusion.csv", ""),
        ("crx/crx.csv", ""),
        ("german/german.csv", ""),
        ("graphs/polblogs_nodes.csv", ""),
        ("graphs/karate_club.csv", "refused: SchemaError"),
    ],
)
def test_reference_files_are_published_as_proposed_or_a_decision_is_asked_for(
    tmp_path: Path, file: str, failure: str
) -> None:
    path = adult_folder().parent / file
    if not path.exists():
        pytest.skip(f"{file} is not here; set SFUMATO_DATA to the folder that holds it")
    found = published(file, path, tmp_path)
    assert found.failure == failure
    assert found.safe
    proposal = Proposal.of_file(path)
    assert bool(proposal.nothing_left) == bool(failure)
    said = "# decide: no column is left to publish" in draft(proposal, tmp_path / "plan.toml")
    assert said == bool(failure)


def test_few_values_or_a_frequent_one_are_bounded_by_t_closeness(tmp_path: Path) -> None:
    rows = [f"{20 + place % 40},{place % 2},{int(place < 190)},{place % 9}" for place in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["age,hiv,smoker,illness", *rows]) + "\n")
    proposal = Proposal.of_file(tmp_path / "t.csv")
    models = plan_tables(proposal, tmp_path / "plan.toml")["models"]
    assert [(model["name"], model.get("sensitive")) for model in models] == [
        ("k_anonymity", None),
        ("t_closeness", "hiv"),
        ("t_closeness", "smoker"),
        ("distinct_l_diversity", "illness"),
    ]
    text = " ".join(draft(proposal, tmp_path / "plan.toml").replace("\n#", "").split())
    assert "makes up 50% of all records, so up to 70% of a group" in text
    assert "makes up 95% of all records, so up to 100% of a group" in text
    assert "of 5 persons, 4 may have the same value (80%)" in text


def test_many_values_of_secrets_are_cut_at_medians(tmp_path: Path) -> None:
    rows = [f"{20 + place % 40},{place * 7919 % 100_003}" for place in range(2100)]
    for header, algorithm in (
        ("age,salary", {"name": "mondrian", "cut": "median"}),
        ("age,city", {"name": "mondrian"}),
    ):
        (tmp_path / "t.csv").write_text("\n".join([header, *rows]) + "\n")
        proposal = Proposal.of_file(tmp_path / "t.csv")
        assert plan_tables(proposal, tmp_path / "plan.toml")["algorithm"] == algorithm
        assert ("It cuts at medians" in draft(proposal, tmp_path / "plan.toml")) == ("cut" in algorithm)


def test_what_is_to_be_decided_and_what_singles_out_are_comments(tmp_path: Path) -> None:
    rows = [f"{place // 8},{place % 8},{'ab'[place % 2]}" for place in range(64)]
    (tmp_path / "t.csv").write_text("\n".join(["age,height,mystery", *rows]) + "\n")
    lines = draft(Proposal.of_file(tmp_path / "t.csv"), tmp_path / "plan.toml").splitlines()
    assert "#   100%  age, height" in lines
    place = lines.index("[columns.mystery]")
    assert any(line.startswith("# decide: keep it if others may know it") for line in lines[place - 4 : place])
    assert any('begin with "decide:"' in line for line in lines)
    rows = [f"{20 + place % 3},d{place % 5}" for place in range(60)]
    (tmp_path / "s.csv").write_text("\n".join(["age,disease", *rows]) + "\n")
    sure = draft(Proposal.of_file(tmp_path / "s.csv"), tmp_path / "plan.toml")
    assert "decide:" not in sure
    assert "# No set of up to three columns makes 5% or more of the records unique." in sure


@pytest.mark.parametrize(("frequent", "model"), [(100, "distinct_l_diversity"), (101, "t_closeness")])
def test_a_value_of_more_than_half_of_all_records_is_bounded_by_t_closeness(
    tmp_path: Path, frequent: int, model: str
) -> None:
    """There are nine values, so their number alone asks for no t-closeness."""
    rows = [f"{20 + place % 40},{0 if place < frequent else 1 + place % 8}" for place in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["age,illness", *rows]) + "\n")
    models = plan_tables(Proposal.of_file(tmp_path / "t.csv"), tmp_path / "plan.toml")["models"]
    assert [one["name"] for one in models] == ["k_anonymity", model]
