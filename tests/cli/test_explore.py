"""`sfumato explore`: the front on the console, all combinations in a file, and the plan that publishes one."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.commands import refused, sfumato

PLAN = """
[data]
path = "people.csv"
[columns.age]
role = "quasi"
taxonomy = { width = 10 }
[columns.town]
role = "quasi"
taxonomy = { flat = true }
[columns.ill]
role = "sensitive"
[[models]]
name = "k_anonymity"
k = 2
[output]
path = "release.csv"
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    rows = [f"{20 + number % 4},{'ab'[number % 2]},x{number}" for number in range(8)]
    (tmp_path / "people.csv").write_text("\n".join(["age,town,ill", *rows, ""]))
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


def test_the_front_is_shown(plan: Path) -> None:
    said = sfumato("explore", plan).stdout
    assert "combinations hold, 100% looked at." in said
    assert "best ncp" in said
    assert "highest risk" in said


def test_json_has_the_best_and_the_front(plan: Path) -> None:
    found = json.loads(sfumato("explore", plan, "--metric", "ncp,discernibility", "--format", "json").stdout)
    assert found["best"].keys() == {"ncp", "discernibility"}
    assert found["best"]["ncp"] == {
        "levels": {"age": 0, "town": 0},
        "suppressed": 0,
        "metrics": {"ncp": 0.0, "discernibility": 16.0},
        "prosecutor": 0.5,
        "marketer": 0.5,
    }
    assert found["front"]


def test_all_combinations_are_written(plan: Path) -> None:
    sfumato("explore", plan, "--out", plan.with_name("space.csv"))
    rows = list(csv.DictReader(plan.with_name("space.csv").read_text(encoding="utf-8").splitlines()))
    assert {(row["age"], row["town"]) for row in rows} == {
        (str(age), str(town)) for age in (0, 1, 2) for town in (0, 1)
    }
    assert "exists" in refused(sfumato("explore", plan, "--out", plan.with_name("space.csv")), 2)


def test_the_plan_of_a_combination_is_written_and_runs(plan: Path) -> None:
    said = sfumato("explore", plan, "--choose", "age=1,town=0").stdout
    assert "plan_chosen.toml" in said
    assert sfumato("publish", plan.with_name("plan_chosen.toml")).exit_code == 0
    assert "[20, 30)" in plan.with_name("release.csv").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--choose", "age"], "takes levels of columns, as age=3,sex=0"),
        (["--choose", "agee=1"], "did you mean 'age'"),
        (["--choose", "age=7"], "was not looked at"),
        (["--chosen", "x.toml"], "no levels are given"),
        (["--metric", "npc"], "did you mean 'ncp'"),
    ],
)
def test_what_is_asked_for_wrongly_is_refused(plan: Path, words: list[str], message: str) -> None:
    assert message in refused(sfumato("explore", plan, *words), 2)


def test_a_chosen_plan_stays_where_its_paths_start(plan: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    words = ["--choose", "age=1", "--chosen", tmp_path / "elsewhere" / "chosen.toml"]
    assert "in the folder of the plan" in refused(sfumato("explore", plan, *words), 2)
    words = ["--choose", "age=1", "--out", tmp_path / "plan_chosen.toml"]
    assert "--out would overwrite" in refused(sfumato("explore", plan, *words), 2)
    assert not list(tmp_path.glob("**/*chosen.toml"))
