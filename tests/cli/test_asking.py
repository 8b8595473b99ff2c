from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sfumato.cli.app import app
from sfumato.datasets import write_patients


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_patients(tmp_path / "patients.csv", 300)


def interactive(table: Path, answers: str, *more: str) -> Result:
    words = ["init", str(table), "--interactive", "--output", str(table.parent / "plan.toml"), *more]
    return CliRunner().invoke(app, words, input=answers)


def written(table: Path) -> dict[str, str]:
    columns = tomllib.loads((table.parent / "plan.toml").read_text())["columns"]
    return {name: column["role"] for name, column in columns.items()}


def test_exactly_the_unsure_columns_are_asked_for(table: Path) -> None:
    told = interactive(table, "sensitive\n\n")
    assert told.exit_code == 0, told.output
    assert "1 of 2: days, number" in told.stderr
    assert "2 of 2: insurer, text" in told.stderr
    assert told.stderr.count("Role (") == 2
    assert (written(table)["days"], written(table)["insurer"]) == ("sensitive", "quasi")
    assert "Decide" not in told.stdout
    assert "was decided by you" in told.stdout


def test_the_plan_of_the_answers_is_that_of_the_proposal_if_nothing_is_changed(table: Path) -> None:
    interactive(table, "\n\n")
    answered = written(table)
    CliRunner().invoke(app, ["init", str(table), "-o", str(table.parent / "plan.toml"), "--force"])
    assert written(table) == answered


def test_wrong_answers_are_asked_again(table: Path) -> None:
    told = interactive(table, "senstive\nwaiver\nPERSON\nperson\nplain\n")
    assert told.exit_code == 0, told.output
    assert "'senstive' is no role" in told.stderr
    assert "'waiver' is no role" in told.stderr
    assert "only one column can be the key of persons" in told.stderr
    assert (written(table)["days"], written(table)["insurer"]) == ("person", "plain")
    assert list(written(table).values()).count("person") == 1


def test_input_that_ends_is_refused_and_nothing_is_written(table: Path) -> None:
    told = interactive(table, "sensitive\n")
    assert told.exit_code == 2
    assert "the input ended before all were answered" in told.stderr
    assert not (table.parent / "plan.toml").exists()


def test_json_is_not_mixed_with_questions(table: Path) -> None:
    told = json.loads(interactive(table, "\n\n", "--format", "json").stdout)
    assert (told["columns"]["days"]["role"], told["decide"]) == ("quasi", [])


def test_a_series_is_asked_for_once(tmp_path: Path) -> None:
    header = ["age", *(f"q{number}" for number in range(1, 31))]
    rows = [
        ",".join(str(20 + place % 40 if at == 0 else place * (at + 2) % 5) for at in range(31)) for place in range(200)
    ]
    table = tmp_path / "survey.csv"
    table.write_text("\n".join([",".join(header), *rows]) + "\n")
    told = interactive(table, "quasi\n" * 3)
    assert told.exit_code == 0, told.output
    assert "columns), number" in told.stderr
    assert told.stderr.count("Role (") < 4


def test_nothing_is_asked_if_all_is_sure(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("age,disease\n" + "".join(f"{20 + place % 9},d{place % 5}\n" for place in range(60)))
    told = interactive(table, "")
    assert told.exit_code == 0, told.output
    assert told.stderr == ""
