from __future__ import annotations

import csv
import errno
import hashlib
import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
import tomlkit

from sfumato.algorithms import Mondrian
from sfumato.audit.audit import Audit
from sfumato.data.pseudonyms import Pseudonyms, write_key
from sfumato.datasets import write_patients
from sfumato.engines.writing import sinks
from sfumato.errors import DataError, InfeasibleError, OutputError, PlanError, SfumatoError
from sfumato.gateway.people.people import People
from sfumato.plan import Plan, publication
from sfumato.runtime.progress import interrupt, listening
from tests.plan.plans import TABLES, put, tables

QUASI = ["sex", "age", "postcode"]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def run(folder: Path, given: dict[str, Any] | None = None) -> Any:
    return Plan.read(put(folder, given)).run()


def test_the_release_keeps_rows_and_other_columns(tmp_path: Path) -> None:
    outcome = run(tmp_path)
    before, after = rows(tmp_path / "patients.csv"), rows(tmp_path / "release.csv")
    kept = [name for name in before[0] if name not in ("patient_number", "name")]
    assert list(after[0]) == kept
    assert [row["days"] for row in after] == [row["days"] for row in before]
    assert all(verdict.holds for verdict in outcome.verdicts)
    assert set(outcome.seconds) == set(publication.STEPS)
    assert Audit.of_file(tmp_path / "release.csv", quasi=QUASI, sensitive=["diagnosis"]).k >= 5


def test_who_listens_hears_what_is_prepared_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    monkeypatch.setattr(Mondrian, "prepare", lambda self: interrupt("compiling"))
    with listening(lambda what, done, total: heard.append(what)):
        run(tmp_path)
    assert "compiling" in heard
    assert set(publication.STEPS) <= set(heard)


def test_the_certificate_binds_input_and_output(tmp_path: Path) -> None:
    run(tmp_path)
    told = json.loads((tmp_path / "certificate.json").read_text())
    hashed = {name: hashlib.sha256(content).hexdigest() for name, content in files(tmp_path).items()}
    assert told["input"] == {"sha256": hashed["patients.csv"], "records": 400}
    assert told["output"]["sha256"] == hashed["release.csv"]
    assert told["holds"] is True
    assert told["plan"] == tables()
    assert told["seed"] == 7
    assert [verdict["required"] for verdict in told["verdicts"]] == [5, 2]
    assert told["measured"]["k"] == told["verdicts"][0]["level"] >= 5
    assert {"ncp", "discernibility", "average_group_size"} <= set(told["metrics"])
    assert {"python", "sfumato", "duckdb"} <= set(told["versions"])


def test_the_same_plan_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    given = tables()
    given["output"]["report"] = "report.html"
    run(tmp_path, given)
    first = files(tmp_path)
    run(tmp_path, given)
    assert files(tmp_path) == first
    assert {"release.csv", "certificate.json", "report.html"} <= set(first)


def test_parquet_out(tmp_path: Path) -> None:
    outcome = run(tmp_path, tables(output={"path": "release.parquet"}))
    written = pq.read_table(tmp_path / "release.parquet")
    assert written.num_rows == 400
    assert outcome.certificate.audit.records + outcome.certificate.audit.suppressed == 400


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_suppressed_records_are_seen_as_such_in_the_written_file(tmp_path: Path, ending: str) -> None:
    lines = (
        ["sex,age,diagnosis,note"] + [f"{'fm'[n % 2]},{20 + n % 2},d{n % 5},n{n}" for n in range(40)] + ["x,99,d1,nx"]
    )
    (tmp_path / "patients.csv").write_text("\n".join(lines) + "\n")
    columns = {
        "sex": {"role": "quasi", "taxonomy": {"flat": True}},
        "age": {"role": "quasi", "type": "text", "taxonomy": {"flat": True}},
        "diagnosis": {"role": "sensitive"},
    }
    given = tables(columns=columns, algorithm={"name": "exhaustive"}, output={"path": f"release.{ending}"})
    outcome = run(tmp_path, given)
    assert outcome.release.candidate.suppressed_records == 1
    assert (outcome.certificate.audit.records, outcome.certificate.audit.suppressed) == (40, 1)
    del columns["diagnosis"]
    outcome = run(tmp_path, {**given, "models": [{"name": "k_anonymity", "k": 5}]})
    assert (outcome.certificate.audit.records, outcome.certificate.audit.suppressed) == (40, 1)


def test_pseudonyms_are_consistent_with_the_key(tmp_path: Path) -> None:
    key = write_key(tmp_path / "key")
    given = tables()
    given["columns"]["name"] = {"role": "identifier", "pseudonym": True}
    given["output"]["pseudonym_key"] = "key"
    run(tmp_path, given)
    before = [row["name"] for row in rows(tmp_path / "patients.csv")]
    after = [row["name"] for row in rows(tmp_path / "release.csv")]
    assert after == [Pseudonyms.from_file(key)(name) for name in before]
    assert "patient_number" not in (tmp_path / "release.csv").read_text().splitlines()[0]


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ({"path": "patients.csv"}, r"\[output\] path would overwrite \[data\] path"),
        ({"path": "./patients.csv"}, r"overwrite \[data\] path"),
        ({"path": "plan.toml"}, "overwrite the plan itself"),
        ({"path": "r.csv", "report": "r.csv"}, r"\[output\] report would overwrite \[output\] release"),
        ({"path": "r.csv", "certificate": "key", "pseudonym_key": "key"}, "overwrite .*pseudonym_key"),
    ],
)
def test_nothing_that_is_read_is_overwritten(tmp_path: Path, output: dict[str, str], message: str) -> None:
    plan = put(tmp_path, tables(output=output))
    before = files(tmp_path)
    with pytest.raises(PlanError, match=message):
        Plan.read(plan).run()
    assert files(tmp_path) == before


def failing_write(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(self: object, batch: object, suppressed: object) -> None:
        raise error

    monkeypatch.setattr(sinks.CsvSink, "write", write)


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), OutputError),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (SystemExit(143), SystemExit),
    ],
)
def test_a_failure_while_writing_keeps_the_old_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, raised: type[BaseException]
) -> None:
    run(tmp_path)
    before = files(tmp_path)
    failing_write(error, monkeypatch)
    with pytest.raises(raised):
        run(tmp_path, tables(run={"seed": 7}))
    assert files(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []


def test_a_failure_while_reporting_keeps_the_old_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path)
    before = files(tmp_path)

    def broken(*given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(publication, "_explain", broken)
    with pytest.raises(OutputError, match="disk is full"):
        run(tmp_path)
    assert files(tmp_path) == before


def test_a_written_file_that_breaks_its_promise_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = publication.Release.write

    def careless(self: Any, path: Path, **given: Any) -> Path:
        honest(self, path, **given)
        lines = path.read_text().splitlines()
        lines[1] = "female,17,10001,2023-01-01,hiv,1,state"
        path.write_text("\n".join(lines) + "\n")
        return path

    monkeypatch.setattr(publication.Release, "write", careless)
    with pytest.raises(OutputError, match="read back and does not keep k_anonymity"):
        run(tmp_path)
    assert set(files(tmp_path)) == {"patients.csv", "plan.toml"}


def test_a_written_file_that_lost_records_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = publication.Release.write

    def forgetful(self: Any, path: Path, **given: Any) -> Path:
        honest(self, path, **given)
        lines = path.read_text().splitlines()
        path.write_text("\n".join([*lines, lines[-1]]) + "\n")
        return path

    monkeypatch.setattr(publication.Release, "write", forgetful)
    with pytest.raises(OutputError, match="1 records too few or too many"):
        run(tmp_path)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"data": {"path": "none.csv"}}, DataError),
        ({"models": [{"name": "k_anonymity", "k": 401}]}, InfeasibleError),
        ({"output": {"path": "nowhere/release.csv"}}, OutputError),
        ({"output": {"path": "release.xlsx"}}, SfumatoError),
        ({"columns": {"agee": {"role": "quasi"}}}, SfumatoError),
    ],
)
def test_refusals_leave_nothing_behind(tmp_path: Path, change: dict[str, Any], error: type[Exception]) -> None:
    plan = put(tmp_path, tables(**change))
    with pytest.raises(error):
        Plan.read(plan).run()
    assert {path.name for path in tmp_path.iterdir()} == {"patients.csv", "plan.toml"}


def test_a_readable_output_is_refused_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publication.Table, "from_source", lambda *given: pytest.fail("work was begun"))
    with pytest.raises(OutputError, match="no such folder"):
        Plan.read(put(tmp_path, tables(output={"path": "nowhere/r.csv"}))).run()


def test_a_time_limit_ends_a_search_that_can_be_stopped(tmp_path: Path) -> None:
    algorithm = {"name": "top_down_refinement"}
    hurried = run(tmp_path, tables(algorithm=algorithm, run={"seed": 0, "seconds": 1e-9}))
    assert {row["age"] for row in rows(tmp_path / "release.csv")} == {"*"}, "there was time for nothing"
    assert hurried.release.holds
    run(tmp_path, tables(algorithm=algorithm, run={"seed": 0, "seconds": 3600}))
    assert len({row["age"] for row in rows(tmp_path / "release.csv")}) > 1


def test_a_time_limit_needs_a_search_that_can_be_stopped(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"mondrian cannot.*top_down_refinement"):
        run(tmp_path, tables(run={"seed": 0, "seconds": 5}))


def test_what_a_gateway_answers_is_published(tmp_path: Path) -> None:
    """Whoever did not agree to the purpose is not in the release, and the question is in the log."""
    gateway_of_patients(tmp_path)
    data = {
        "gateway": "gateway.toml", "person": "rosa", "purpose": "Research",
        "question": "SELECT sex, age, postcode, diagnosis FROM patients WHERE diagnosis IS NOT NULL",
    }  # fmt: skip
    columns = {name: section for name, section in TABLES["columns"].items() if section["role"] != "identifier"}
    outcome = Plan.read(put(tmp_path, tables(data=data, columns=columns))).run()
    agreed = 400 - 400 // 5
    assert outcome.certificate.audit.records + outcome.certificate.audit.suppressed == agreed
    assert (tmp_path / "audit.jsonl").read_text().count('"answered"') == 1
    assert not list(tmp_path.glob("*.parquet"))


def gateway_of_patients(folder: Path) -> None:
    """Patients of whom every fifth prohibits research, and rosa, who may ask for it."""
    write_patients(folder / "patients.csv", 400)
    rule = {
        "name": "fifth",
        "table": "patients",
        "columns": ["diagnosis"],
        "where": "fifth = true",
        "prohibited": ["Research"],
    }
    policy = {
        "name": "patients",
        "purposes": {"Care": ["Research"]},
        "tables": {"patients": {"key": "patient_number", "allowed": ["Care"], "new_columns": "as_table"}},
        "rules": [rule],
        "roles": {"researcher": {}},
        "permissions": [{"role": "researcher", "table": "patients", "purpose": "Research"}],
    }
    con = duckdb.connect(str(folder / "hospital.duckdb"))
    con.execute(
        "CREATE TABLE patients AS SELECT *, row_number() OVER () % 5 = 0 AS fifth FROM read_csv(?)",
        [str(folder / "patients.csv")],
    )
    con.close()
    (folder / "policy.toml").write_text(tomlkit.dumps(policy))
    (folder / "gateway.toml").write_text('[source]\nduckdb = "hospital.duckdb"\n')
    people = People()
    people.add("rosa", ["researcher"])
    people.write(folder / "users.toml")


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"path": "a.csv", "gateway": "g.toml"},
        {"gateway": "g.toml"},
        {"gateway": "g.toml", "person": "rosa"},
        {"path": "a", "person": "b"},
    ],
)
def test_data_come_from_one_place(data) -> None:
    with pytest.raises(PlanError, match="needs 'path', the file to publish from; or 'gateway'"):
        Plan.of(tables(data=data))
