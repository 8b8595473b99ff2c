from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sfumato.datasets import write_census
from sfumato.plan import Plan
from tests.cli.commands import canary_csv, canary_plan, sfumato


def test_it_says_what_was_promised_measured_paid_and_written(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv")
    told = sfumato("publish", canary_plan(tmp_path)).stdout
    for words in (
        "k_anonymity(k=3)",
        "required >= 3",
        "holds",
        "ncp",
        "prosecutor",
        str(tmp_path / "release.csv"),
        "Seconds",
    ):
        assert words in told


def test_it_says_which_columns_stay_together_in_a_bucket(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv")
    diverse = '[[models]]\nname = "distinct_l_diversity"\nl = 2'
    plan = canary_plan(tmp_path, model=diverse, algorithm='[algorithm]\nname = "slicing"')
    told = sfumato("publish", plan).stdout
    assert "Column 'group' names the bucket. Within a bucket these columns stay together: age | job | ill." in told
    checked = ("--quasi", "age,job", "--sensitive", "ill", "--bucket", "group", "--block", "age", "--block", "job")
    result = sfumato(
        "check", tmp_path / "release.csv", *checked, "--block", "ill", "--model", "distinct_l_diversity:l=2"
    )
    assert result.exit_code == 0, result.output


def test_as_json(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv")
    told = json.loads(sfumato("publish", canary_plan(tmp_path), "--format", "json").stdout)
    assert told["holds"] is True
    assert Path(told["files"]["release"]).exists()
    assert told["output"]["records"] == 12


def test_odd_column_names_just_work(tmp_path: Path) -> None:
    rows = "\n".join(f'"x{n}",{20 + n % 2},"a ""b"" {n % 2}"' for n in range(8))
    (tmp_path / "odd.csv").write_text(f'"Full Name","marital-status","päy, in ""€"""\n{rows}\n', encoding="utf-8")
    (tmp_path / "plan.toml").write_text(
        '[data]\npath = "odd.csv"\n[columns."Full Name"]\nrole = "identifier"\n'
        '[columns.marital-status]\nrole = "quasi"\n[columns."päy, in \\"€\\""]\nrole = "sensitive"\n'
        '[[models]]\nname = "k_anonymity"\nk = 2\n[output]\npath = "r.csv"\n',
        encoding="utf-8",
    )
    assert sfumato("publish", tmp_path / "plan.toml").exit_code == 0
    result = sfumato("check", tmp_path / "r.csv", "--quasi", "marital-status", "--sensitive", '"päy, in ""€"""')
    assert result.exit_code == 0, result.output


STOPPED_WHILE_WRITING = """
import sys, time
from pathlib import Path
from sfumato.engines.writing import publishing

ready = Path(sys.argv.pop(1))

def wait(*_):
    ready.touch()
    time.sleep(3600)

publishing.advance = wait  # called after the first batch of the release is written
from sfumato.cli.app import main
main()
"""
"""The command line, stopped in the middle of writing until a signal comes."""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_leaves_no_half_written_output(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    write_census(tmp_path / "people.csv", 1_000)
    (tmp_path / "release.csv").write_text("old release")
    plan = canary_plan(
        tmp_path,
        name='[columns.sex]\nrole = "quasi"',
        job='[columns.education]\nrole = "quasi"',
        ill='[columns.income]\nrole = "sensitive"',
    )
    ready = tmp_path / "writing"
    run = [sys.executable, "-c", STOPPED_WHILE_WRITING, str(ready), "publish", str(plan)]
    process = subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not ready.exists() and process.poll() is None:
        time.sleep(0.01)
    ready.unlink()
    process.send_signal(sent)
    out, err = process.communicate()
    assert process.returncode in (code, 130), err
    assert out == ""
    assert "Traceback" not in err
    assert {path.name for path in tmp_path.iterdir()} == {"people.csv", "plan.toml", "release.csv"}
    assert (tmp_path / "release.csv").read_text() == "old release"


def test_a_plan_can_be_run_on_another_file(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv")
    plan = canary_plan(tmp_path)
    before = plan.read_text()
    (tmp_path / "may").mkdir()
    rows = (tmp_path / "people.csv").read_text().splitlines()
    (tmp_path / "may" / "people.csv").write_text("\n".join([*rows, *rows[1:]]) + "\n")
    told = json.loads(sfumato("publish", plan, "--data", tmp_path / "may" / "people.csv", "--format", "json").stdout)
    assert told["output"]["records"] == 24
    assert told["plan"]["data"]["path"] == "may/people.csv"
    assert plan.read_text() == before
    refused = sfumato("publish", plan, "--data", tmp_path / "none.csv")
    assert refused.exit_code == 4
    assert "there is no file" in refused.output


def test_data_in_place_of_a_plan_are_sent_to_init(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv")
    told = sfumato("publish", tmp_path / "people.csv")
    assert told.exit_code == 2
    assert "'people.csv' holds data and is no plan; 'sfumato init people.csv' writes a plan for it." in told.output


def test_a_series_of_columns_that_are_left_out_is_shortened(tmp_path: Path) -> None:
    lines = [",".join(["age", *(f"q{at}" for at in range(1, 8))]), *(f"{20 + at}" + ",0" * 7 for at in range(20))]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    columns = {"age": {"role": "quasi"}} | {f"q{at}": {"role": "identifier"} for at in range(1, 8)}
    given = {"data": {"path": "in.csv"}, "columns": columns, "output": {"path": "out.csv"}}
    Plan.of(given | {"models": [{"name": "k_anonymity", "k": 5}]}, tmp_path).write(tmp_path / "plan.toml")
    said = sfumato("publish", tmp_path / "plan.toml").stdout
    assert "Left out, as the plan says: q1 to q7 (7 columns)." in said


def test_it_says_which_columns_are_left_out(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv")
    assert "Left out, as the plan says: name." in sfumato("publish", canary_plan(tmp_path)).stdout
