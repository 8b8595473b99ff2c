from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from sfumato.datasets import write_patients
from tests.cli.commands import canary_csv, canary_plan, sfumato


@pytest.mark.parametrize(
    ("words", "kind", "said"),
    [
        (["publish", "no.toml", "--format", "json"], "PlanError", "there is no readable plan 'no.toml'"),
        (["publish", "--format=json"], "UsageError", "Missing argument 'plan'"),
        (["list", "--format", "json", "--bogus"], "UsageError", "No such option: --bogus"),
        (["pubish", "--format", "json"], "UsageError", "Did you mean 'publish'"),
        (["list", "--format", "json", "-q", "-v"], "UsageError", "exclude each other"),
    ],
)
def test_an_error_is_a_json_document_if_one_is_asked_for(words: list[str], kind: str, said: str) -> None:
    told = sfumato(*words)
    error = json.loads(told.stdout)["error"]
    assert (told.exit_code, error["kind"], error["exit_code"]) == (2, kind, 2)
    assert said in error["message"]
    assert told.stderr.startswith("sfumato: ")
    assert len(told.stderr.strip().splitlines()) == 1


def test_other_errors_keep_their_exit_codes_in_json(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv")
    told = sfumato("publish", canary_plan(tmp_path, model='[[models]]\nname = "k_anonymity"\nk = 13'), "--format=json")
    assert told.exit_code == 3
    assert json.loads(told.stdout)["error"]["kind"] == "InfeasibleError"
    told = sfumato("check", tmp_path / "none.csv", "--quasi", "age", "--format", "json")
    assert told.exit_code == json.loads(told.stdout)["error"]["exit_code"] == 4


def test_results_and_help_are_as_ever_with_json(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv")
    check = ["check", tmp_path / "people.csv", "--quasi", "age", "--format", "json"]
    told = sfumato(*check)
    assert (told.exit_code, json.loads(told.stdout)["k"]) == (0, 4)
    told = sfumato(*check, "--model", "k_anonymity:k=5")
    assert (told.exit_code, json.loads(told.stdout)["verdicts"][0]["holds"]) == (1, False)
    assert "Usage" in sfumato("check", "--format", "json", "--help").stdout


def test_a_usage_error_without_json_is_for_readers() -> None:
    told = sfumato("list", "--bogus")
    assert told.exit_code == 2
    assert told.stdout == ""
    assert "No such option: --bogus" in told.stderr


def test_quiet_prints_the_files_that_were_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_patients(tmp_path / "in.csv", 300, seed=2)
    assert sfumato("init", "in.csv", "--quiet").stdout == "plan.toml\n"
    told = sfumato("publish", "plan.toml", "-q")
    assert told.exit_code == 0
    written = told.stdout.splitlines()
    assert {Path(line).name for line in written} == {"in_release.csv", "in_certificate.json", "in_report.html"}
    assert all(Path(line).is_file() for line in written)
    assert told.stderr == ""
    assert sfumato("check", written[0], "--quasi", "sex", "--quiet").output == ""


def test_verbose_tells_versions_and_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock goes on by a second whenever somebody looks at it: at the start, and once for each line."""
    monkeypatch.setattr("sfumato.cli.bar.time", SimpleNamespace(perf_counter=count().__next__))
    canary_csv(tmp_path / "people.csv")
    told = sfumato("publish", canary_plan(tmp_path), "--verbose")
    assert told.exit_code == 0
    assert "Published 12 of 12 records" in told.stdout
    first, *lines = told.stderr.splitlines()
    assert first.startswith("sfumato ")
    assert "duckdb" in first
    steps = [line.partition(" s  ")[2] for line in lines]
    assert [step for step in steps if step.endswith(" of 6)")][:2] == ["counting (1 of 6)", "deciding (2 of 6)"]
    assert steps[-1] == "end"
    assert [float(line.partition(" s")[0]) for line in lines] == list(range(1, len(lines) + 1))


@pytest.mark.parametrize("given", [["--quiet", "list"], ["list", "--quiet"], ["-q", "list", "-q"]])
def test_quiet_stands_before_or_after_a_command(given: list[str]) -> None:
    told = sfumato(*given)
    assert (told.exit_code, told.output) == (0, "")


def test_verbose_stands_before_or_after_a_command(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv")
    told = sfumato("--verbose", "publish", canary_plan(tmp_path))
    assert told.exit_code == 0
    assert "deciding (2 of 6)" in told.stderr


def test_a_group_of_commands_takes_the_options_too(tmp_path: Path) -> None:
    for place, given in enumerate((["--quiet", "key", "new"], ["key", "-q", "new"], ["key", "new", "-q"])):
        file = tmp_path / f"{place}.key"
        told = sfumato(*given, file)
        assert (told.exit_code, told.stdout) == (0, f"{file}\n")


@pytest.mark.parametrize("given", [["-q", "list", "-v"], ["-qv", "list"], ["list", "-q", "-v"]])
def test_quiet_and_verbose_exclude_each_other_at_any_place(given: list[str]) -> None:
    told = sfumato(*given)
    assert told.exit_code == 2
    assert "exclude each other" in " ".join(told.output.replace("│", " ").split())


@pytest.mark.parametrize("form", ["text", "json"])
def test_names_of_columns_without_commas_are_explained(tmp_path: Path, form: str) -> None:
    canary_csv(tmp_path / "people.csv")
    told = sfumato("check", tmp_path / "people.csv", "--quasi", "age", "sex", "--format", form)
    assert told.exit_code == 2
    said = " ".join(told.output.replace("│", " ").split())
    assert "extra argument" in said
    assert "Write names of columns with commas and no spaces: --quasi a,b" in said
    assert "with commas" not in sfumato("list", "models", "more", "--format", form).output
