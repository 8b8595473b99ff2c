from __future__ import annotations

import csv
import errno
import hashlib
import hmac
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import tomlkit

from sfumato.algorithms import Mondrian
from sfumato.audit.audit import Audit
from sfumato.data.pseudonyms import Pseudonyms
from sfumato.datasets import write_patients
from sfumato.engines.duckdb.databases import shared_database
from sfumato.engines.writing import sinks
from sfumato.errors import (
    DataError,
    InfeasibleError,
    OutputError,
    PlanError,
    SchemaError,
    SfumatoError,
    UnsuitableError,
)
from sfumato.gateway.people.people import People
from sfumato.knowledge import Knowledge
from sfumato.plan import Plan, publication
from sfumato.runtime.key_files import write_key
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
    assert [what for what in dict.fromkeys(heard) if what.endswith(" of 6)")] == [
        f"{name} ({number} of 6)" for number, name in enumerate(publication.STEPS, start=1)
    ]
    assert "writing (4 of 6): writing" in heard


def test_the_certificate_binds_input_and_output(tmp_path: Path) -> None:
    key = write_key(tmp_path / "input.key").read_bytes().strip()
    given = tables()
    given["output"]["digest_key"] = "input.key"
    run(tmp_path, given)
    told = json.loads((tmp_path / "certificate.json").read_text())
    hashed = {name: hashlib.sha256(content).hexdigest() for name, content in files(tmp_path).items()}
    keyed = hmac.digest(key, (tmp_path / "patients.csv").read_bytes(), "sha256").hex()
    assert told["input"] == {"digest": {"method": "hmac-sha256", "value": keyed}, "records": 400}
    assert told["output"]["sha256"] == hashed["release.csv"]
    assert told["holds"] is True
    assert told["plan"] == given
    assert told["seed"] == 7
    assert [verdict["required"] for verdict in told["verdicts"]] == [5, 2]
    assert told["measured"]["k"] == told["verdicts"][0]["level"] >= 5
    assert {"ncp", "discernibility", "average_group_size"} <= set(told["metrics"])
    assert {"python", "sfumato", "duckdb"} <= set(told["versions"])


def test_without_a_key_nobody_can_test_guesses_about_the_input(tmp_path: Path) -> None:
    outcome = run(tmp_path)
    text = (tmp_path / "certificate.json").read_text()
    assert json.loads(text)["input"] == {"digest": None, "records": 400}
    assert outcome.to_dict()["input"]["digest"] is None
    assert hashlib.sha256((tmp_path / "patients.csv").read_bytes()).hexdigest() not in text


def test_the_plain_digest_of_public_data_is_asked_for(tmp_path: Path) -> None:
    run(tmp_path, tables(output={"path": "release.csv", "certificate": "certificate.json", "input_digest": "sha256"}))
    told = json.loads((tmp_path / "certificate.json").read_text())
    plain = hashlib.sha256((tmp_path / "patients.csv").read_bytes()).hexdigest()
    assert told["input"]["digest"] == {"method": "sha256", "value": plain}


def test_the_same_plan_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    write_key(tmp_path / "input.key")
    given = tables()
    given["output"] |= {"report": "report.html", "digest_key": "input.key"}
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
        ({"path": "key", "digest_key": "key"}, "overwrite .*digest_key"),
    ],
)
def test_nothing_that_is_read_is_overwritten(tmp_path: Path, output: dict[str, str], message: str) -> None:
    write_key(tmp_path / "key")
    plan = put(tmp_path, tables(output=output))
    before = files(tmp_path)
    with pytest.raises(PlanError, match=message):
        Plan.read(plan).run()
    assert files(tmp_path) == before


STOPPED = """
import sys
from sfumato.plan import Plan, publication

def stop(*_):
    print("written", flush=True)
    sys.stdin.read()

publication._check_written_files = stop
Plan.read(sys.argv[1]).run()
"""


def test_what_a_killed_publication_left_is_removed_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, temporary = tmp_path / "folder", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    plan = put(folder, tables(masks=[{"name": "noise", "columns": ["age"]}]))
    command = [sys.executable, "-c", STOPPED, str(plan)]
    there = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(command, env=there, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        process.kill()
    left = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"plan.toml", "patients.csv", "release.csv", "masked.csv"}
    assert not (folder / "release.csv").exists()
    shared_database()  # its folder for spilled rows stays as long as the process
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    Plan.read(plan).run()
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["certificate.json", "patients.csv", "plan.toml", "release.csv"]
    )
    assert list(temporary.iterdir()) == []


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

    monkeypatch.setattr(publication, "_write_certificate_and_report", broken)
    with pytest.raises(OutputError, match="disk is full"):
        run(tmp_path)
    assert files(tmp_path) == before


def test_a_written_file_that_breaks_its_promise_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = publication.TableRelease.write

    def careless(self: Any, path: Path, **given: Any) -> Path:
        honest(self, path, **given)
        lines = path.read_text().splitlines()
        lines[1] = "female,17,10001,2023-01-01,hiv,1,state"
        path.write_text("\n".join(lines) + "\n")
        return path

    monkeypatch.setattr(publication.TableRelease, "write", careless)
    with pytest.raises(OutputError, match="read back and does not satisfy k_anonymity"):
        run(tmp_path)
    assert set(files(tmp_path)) == {"patients.csv", "plan.toml"}


def test_a_written_file_that_lost_records_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = publication.TableRelease.write

    def forgetful(self: Any, path: Path, **given: Any) -> Path:
        honest(self, path, **given)
        lines = path.read_text().splitlines()
        path.write_text("\n".join([*lines, lines[-1]]) + "\n")
        return path

    monkeypatch.setattr(publication.TableRelease, "write", forgetful)
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


RULES = {"sensitive": "diagnosis", "never": [{"when": {"sex": "male"}, "value": "pregnancy"}]}
BOTH = [{"name": "naive_bayes_inference"}, {"name": "background_knowledge", "knowledge": "rules.toml"}]
APART = {"algorithm": {"name": "anatomy"}, "models": [{"name": "distinct_l_diversity", "l": 3}]}
MEANS = {"algorithm": {"name": "mdav"}, "models": [{"name": "k_anonymity", "k": 4}]}


def test_a_column_that_a_text_file_cannot_hold_is_refused_before_anything_is_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path)
    records = pyarrow.csv.read_csv(tmp_path / "patients.csv")
    visits = pa.array([[place] for place in range(len(records))])
    pq.write_table(records.append_column("visits", visits), tmp_path / "patients.parquet")
    given = tables(data={"path": "patients.parquet"})
    left_out = {**given, "columns": {**given["columns"], "visits": {"role": "identifier"}}}
    assert "visits" not in rows(run(tmp_path, left_out).files["release"])[0]
    monkeypatch.setattr(Mondrian, "anonymize", None)
    with pytest.raises(SchemaError, match=r"'visits' holds list<.*'release.csv' cannot hold; write a .parquet"):
        run(tmp_path, given)


def test_metrics_of_the_plan_are_measured_and_no_others(tmp_path: Path) -> None:
    given = tables(metrics=[{"name": "normalized_group_size", "k": 5}, {"name": "ncp"}])
    given["output"]["report"] = "report.html"
    outcome = run(tmp_path, given)
    told, every = json.loads((tmp_path / "certificate.json").read_text()), run(tmp_path).certificate.costs
    assert list(told["metrics"]) == ["ncp", "normalized_group_size"]
    assert told["metrics"]["ncp"] == float(f"{next(cost.value for cost in every if cost.name == 'ncp'):.3g}")
    assert [cost.name for cost in outcome.certificate.costs] == ["normalized_group_size", "ncp"]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "normalized_group_size" in page
    assert "discernibility" not in page


def test_a_report_needs_no_metric_in_particular(tmp_path: Path) -> None:
    given = tables(metrics=[{"name": "suppressed_share"}])
    given["output"]["report"] = "report.html"
    run(tmp_path, given)
    assert "of the detail was lost" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_report_knows_what_only_the_written_files_show(tmp_path: Path) -> None:
    """The plain columns `admitted`, `days` and `insurer` are compared in the audit, and costs with one group."""
    given = tables(metrics=[{"name": "discernibility"}])
    given["output"]["report"] = "report.html"
    outcome = run(tmp_path, given)
    page = " ".join((tmp_path / "report.html").read_text(encoding="utf-8").split())
    plain = outcome.certificate.audit.plain
    assert f"knows admitted, days, insurer finds {plain.unique:,} of {plain.records:,} published records" in page
    (cost,) = outcome.certificate.costs
    assert cost.scale.one_group == 400**2
    assert f"<td>{cost.reading}</td>" in page


@pytest.mark.parametrize(
    ("change", "attacks"),
    [
        ({}, BOTH),
        (APART, BOTH),
        (APART | {"output": {"path": "release.parquet", "certificate": "certificate.json"}}, BOTH),
        ({"algorithm": {"name": "slicing"}, "models": [{"name": "distinct_l_diversity", "l": 2}]}, BOTH),
        ({"models": [{"name": "matching_l_diversity", "l": 2, "knowledge": "rules.toml"}]}, BOTH),
        (MEANS, [{"name": "distance_linkage"}, {"name": "rank_linkage"}, {"name": "interval_disclosure"}]),
        (MEANS | {"masks": [{"name": "noise", "columns": ["age"], "share": 0.1}]}, [{"name": "distance_linkage"}]),
    ],
)
def test_attacks_are_run_on_the_written_release(tmp_path: Path, change: dict[str, Any], attacks: list[Any]) -> None:
    Knowledge.of(RULES).write(tmp_path / "rules.toml")
    run(tmp_path, tables(**change, attacks=attacks))
    told = json.loads((tmp_path / "certificate.json").read_text())
    assert [found["attack"]["name"] for found in told["attacks"]] == [one["name"] for one in attacks]
    for found in told["attacks"]:
        assert found["people"] == told["output"]["records"] == 400 - told["output"]["suppressed"]
        assert found["interval"][0] <= found["rate"] <= found["interval"][1]
        assert 0 <= found["baseline"] <= 1


def test_the_truth_of_an_attack_is_the_original_before_any_mask(tmp_path: Path) -> None:
    """Everybody's age is published as another one, so the nearest original is hardly ever the right one."""
    once = tables(
        columns={"age": {"role": "quasi"}},
        models=[{"name": "k_anonymity", "k": 1}],
        algorithm={"name": "mdav"},
        attacks=[{"name": "interval_disclosure", "by": "deviation", "width": 1e-6}],
    )
    found = run(tmp_path, once).certificate.attacks[0]
    assert found.rate == 1
    masked = run(tmp_path, once | {"masks": [{"name": "noise", "columns": ["age"], "share": 0.5}]})
    assert masked.certificate.attacks[0].rate < 0.1


def test_without_attacks_the_certificate_does_not_speak_of_them(tmp_path: Path) -> None:
    run(tmp_path)
    assert "attacks" not in json.loads((tmp_path / "certificate.json").read_text())


def test_attacks_give_the_same_bytes_every_time(tmp_path: Path) -> None:
    given = tables(attacks=[{"name": "distance_linkage"}], **MEANS)
    given["output"]["report"] = "report.html"
    run(tmp_path, given)
    first = files(tmp_path)
    run(tmp_path, given)
    assert files(tmp_path) == first
    assert b"What attacks achieve" in first["report.html"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attacks": [{"name": "distance_linkage"}]}, r"\[\[attacks\]\] number 1: .*no quasi column is published as"),
        ({"attacks": [{"name": "naive_bayes_inference", "sensitive": "days"}]}, r"\[\[attacks\]\] number 1: 'days'"),
        (
            APART | {"masks": [{"name": "noise", "columns": ["age"], "share": 0.1}], "attacks": BOTH[:1]},
            r"\[\[masks\]\] change 'age'; leave out",
        ),
    ],
)
def test_an_attack_that_cannot_be_run_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], message: str
) -> None:
    monkeypatch.setattr(publication.TableRelease, "write", lambda *given, **more: pytest.fail("something was written"))
    with pytest.raises(PlanError, match=message):
        run(tmp_path, tables(**change))


def test_one_metric_may_be_measured_with_several_settings(tmp_path: Path) -> None:
    twice = [{"name": "normalized_group_size", "k": 2}, {"name": "normalized_group_size", "k": 4}, {"name": "ncp"}]
    found = run(tmp_path, tables(metrics=twice)).certificate.to_dict()["metrics"]
    assert sorted(found) == ["ncp", "normalized_group_size(k=2)", "normalized_group_size(k=4)"]
    assert found["normalized_group_size(k=2)"] == pytest.approx(2 * found["normalized_group_size(k=4)"], rel=0.01)


def test_a_named_metric_that_cannot_be_measured_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publication.TableRelease, "write", lambda *given, **more: pytest.fail("something was written"))
    with pytest.raises(UnsuitableError, match="0 are published as numbers"):
        run(tmp_path, tables(metrics=[{"name": "squared_error"}]))


def test_a_taxonomy_file_is_not_overwritten(tmp_path: Path) -> None:
    levels = tmp_path / "levels.csv"
    levels.write_text("".join(f"{age},{'young' if age < 50 else 'old'},*\n" for age in range(120)))
    before = levels.read_bytes()
    given = tables(output={"path": "levels.csv"})
    given["columns"]["age"]["taxonomy"] = {"file": "levels.csv"}
    with pytest.raises(PlanError, match=r"\[output\] path would overwrite \[columns.age\] taxonomy"):
        run(tmp_path, given)
    assert levels.read_bytes() == before


def test_rules_that_a_model_reads_are_not_overwritten(tmp_path: Path) -> None:
    Knowledge.of(RULES).write(tmp_path / "rules.toml")
    output = {"path": "release.csv", "certificate": "rules.toml"}
    model = {"name": "matching_l_diversity", "l": 2, "knowledge": "rules.toml"}
    with pytest.raises(PlanError, match=r"certificate would overwrite \[\[models\]\] number 1 knowledge"):
        run(tmp_path, tables(output=output, models=[model]))


def test_rules_that_an_attack_reads_are_not_overwritten(tmp_path: Path) -> None:
    Knowledge.of(RULES).write(tmp_path / "rules.toml")
    output = {"path": "release.csv", "certificate": "rules.toml"}
    with pytest.raises(PlanError, match=r"would overwrite \[\[attacks\]\] number 1 knowledge"):
        run(tmp_path, tables(output=output, attacks=BOTH[1:]))


def test_a_time_limit_ends_a_search_that_can_be_stopped(tmp_path: Path) -> None:
    algorithm = {"name": "top_down_refinement"}
    hurried = run(tmp_path, tables(algorithm=algorithm, run={"seed": 0, "seconds": 1e-9}))
    assert {row["age"] for row in rows(tmp_path / "release.csv")} == {"*"}, "there was time for nothing"
    assert hurried.release.holds
    run(tmp_path, tables(algorithm=algorithm, run={"seed": 0, "seconds": 3600}))
    assert len({row["age"] for row in rows(tmp_path / "release.csv")}) > 1


def test_a_time_limit_needs_a_search_that_can_be_stopped(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"mondrian\(cut=median\) cannot.*top_down_refinement"):
        run(tmp_path, tables(run={"seed": 0, "seconds": 5}))
    guarded = {"name": "injector", "strategy": "guarded"}
    with pytest.raises(PlanError, match=r"injector\(strategy=guarded\) cannot; leave it out, or use .*'injector'"):
        run(tmp_path, tables(algorithm=guarded, run={"seed": 0, "seconds": 5}))


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
    certificate = (tmp_path / "certificate.json").read_text()
    assert "Research" in certificate  # the purpose, which tells nobody who asked for what
    assert not [hidden for hidden in ("rosa", "SELECT", "patients WHERE") if hidden in certificate]


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
    with pytest.raises(PlanError, match="needs 'path', the file to publish from; or 'database'"):
        Plan.of(tables(data=data))


@pytest.mark.parametrize("release", ["r.csv", "r.tsv", "r.parquet"])
@pytest.mark.parametrize("secrets", ["s.csv", "s.tsv", "s.parquet"])
def test_each_of_two_tables_has_the_format_of_its_name(tmp_path: Path, release: str, secrets: str) -> None:
    given = tables(
        algorithm={"name": "anatomy"},
        models=[{"name": "distinct_l_diversity", "l": 2}],
        output={"path": release, "sensitive_table": secrets},
    )
    assert run(tmp_path, given).certificate.audit.records


def test_a_table_of_a_database_is_published(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "x.db") as connection:
        connection.execute("CREATE TABLE people (name TEXT, age INTEGER, ill TEXT)")
        rows = [(f"n{place}", 20 + place % 3, ("flu", "cold")[place % 2]) for place in range(30)]
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
    connection.close()
    plan = {
        "data": {"database": "sqlite:x.db", "table": "people"},
        "columns": {"name": {"role": "identifier"}, "age": {"role": "quasi"}, "ill": {"role": "sensitive"}},
        "models": [{"name": "k_anonymity", "k": 5}],
        "output": {"path": "release.csv", "certificate": "c.json"},
    }
    outcome = Plan.of(plan, tmp_path).run()
    assert outcome.release.groups.sizes.tolist() == [10, 10, 10]
    assert (tmp_path / "release.csv").read_text().splitlines()[:2] == ["age,ill", "20,flu"]
    certificate = json.loads((tmp_path / "c.json").read_text())
    assert certificate["plan"]["data"] == {"database": "sqlite:x.db", "table": "people"}
    asked = {"database": "sqlite:x.db", "query": "SELECT age, ill FROM people WHERE age < 22"}
    assert Plan.of({**plan, "data": asked, "columns": {"age": {"role": "quasi"}}}, tmp_path).run().release.holds
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"database": "sqlite:x.db"}, "needs 'table' or 'query'"),
        ({"database": "sqlite:x.db", "path": "x.csv", "table": "t"}, "needs 'path'.* or 'database' with 'table'"),
        ({"path": "x.csv", "table": "t"}, "needs 'path'.* or 'database' with 'table'"),
        ({"database": "oracle:x", "table": "t"}, "is written sqlite:FILE"),
        ({"database": "postgresql://u:secret@h/d", "table": "t"}, "a plan has no passwords"),
    ],
)
def test_a_database_that_is_named_wrongly_is_refused(data: dict[str, str], said: str) -> None:
    models, columns = [{"name": "k_anonymity", "k": 5}], {"age": {"role": "quasi"}}
    plan = {"data": data, "columns": columns, "models": models, "output": {"path": "r.csv"}}
    with pytest.raises(PlanError, match=said) as caught:
        Plan.of(plan)
    assert "secret" not in str(caught.value)


def with_new_column(folder: Path, unnamed_columns: str | None) -> Plan:
    """The plan on a file with a column that the plan does not name, beside those that it leaves plain."""
    put(folder)
    lines = (folder / "patients.csv").read_text(encoding="utf-8").splitlines()
    added = [lines[0] + ",ssn", *(f"{line},{place + 1000}" for place, line in enumerate(lines[1:]))]
    (folder / "may.csv").write_text("\n".join(added) + "\n", encoding="utf-8")
    plain = {name: {"role": "plain"} for name in rows(folder / "patients.csv")[0] if name not in TABLES["columns"]}
    data = {"path": "patients.csv"} | ({"unnamed_columns": unnamed_columns} if unnamed_columns else {})
    return Plan.of(tables(data=data, columns={**TABLES["columns"], **plain}), folder).on(folder / "may.csv")


def test_a_column_that_the_plan_does_not_name_is_published_with_a_warning(tmp_path: Path) -> None:
    for wanted in (None, "publish"):
        said = with_new_column(tmp_path, wanted).run().release.provenance["warnings"]
        assert rows(tmp_path / "release.csv")[1]["ssn"] == "1001"
        assert any("'ssn' has no role and is published unchanged" in one for one in said)


def test_a_column_that_the_plan_does_not_name_can_be_left_out(tmp_path: Path) -> None:
    said = with_new_column(tmp_path, "leave out").run().release.provenance["warnings"]
    assert "ssn" not in rows(tmp_path / "release.csv")[0]
    assert any("'ssn' is left out: the plan does not name it" in one for one in said)
    assert any("they are sorted, at least in part, by 'ssn'" in one for one in said)


def test_a_column_that_the_plan_does_not_name_can_be_refused(tmp_path: Path) -> None:
    plan = with_new_column(tmp_path, "refuse")
    with pytest.raises(PlanError, match=r"a column that the plan does not name, 'ssn'.*\[columns.NAME\].*leave out"):
        plan.run()
    assert not (tmp_path / "release.csv").exists()
    assert plan.on(tmp_path / "patients.csv").run().release.holds


def test_a_column_without_a_name_is_not_refused(tmp_path: Path) -> None:
    plan = with_new_column(tmp_path, "refuse")
    may = tmp_path / "may.csv"
    may.write_text(may.read_text(encoding="utf-8").replace(",ssn", ",", 1), encoding="utf-8")
    assert plan.run().release.holds
    assert set(rows(tmp_path / "release.csv")[0]) <= set(rows(tmp_path / "patients.csv")[0])


def with_missing_values(folder: Path, out: str, k: int, *, cost: bool) -> Plan:
    """Thirty records of which ten have no age, and four of these no diagnosis either."""
    ages = ["" if number < 10 else str(20 + number % 2) for number in range(30)]
    ills = ["" if number < 4 else ("flu", "gout")[number % 2] for number in range(30)]
    costs = [f",{number}" if cost else "" for number in range(30)]
    lines = [f"{age},{ill}{spent}" for age, ill, spent in zip(ages, ills, costs, strict=True)]
    (folder / "in.csv").write_text("\n".join([f"age,ill{',cost' if cost else ''}", *lines, ""]), encoding="utf-8")
    roles = {"age": {"role": "quasi", "type": "number"}, "ill": {"role": "sensitive"}}
    if cost:
        roles["cost"] = {"role": "plain"}
    models = [{"name": "k_anonymity", "k": k}]
    output = {"path": out, "certificate": "c.json"}
    return Plan.of({"data": {"path": "in.csv"}, "columns": roles, "models": models, "output": output}, folder=folder)


@pytest.mark.parametrize("out", ["out.csv", "out.parquet"])
def test_records_with_missing_values_are_not_taken_for_suppressed(tmp_path: Path, out: str) -> None:
    with_missing_values(tmp_path, out, 10, cost=True).run()
    written = json.loads((tmp_path / "c.json").read_text())["output"]
    assert (written["records"], written["suppressed"]) == (30, 0)


def test_records_without_any_value_are_warned_about_where_the_file_cannot_tell_them_from_suppressed_ones(
    tmp_path: Path,
) -> None:
    outcome = with_missing_values(tmp_path, "out.parquet", 5, cost=False).run()
    assert "4 records have no value in any published column" in outcome.release.provenance["warnings"][-1]
    assert json.loads((tmp_path / "c.json").read_text())["output"]["suppressed"] == 4
    outcome = with_missing_values(tmp_path, "out.csv", 10, cost=False).run()
    assert not any("no value in any" in said for said in outcome.release.provenance["warnings"])


@pytest.mark.parametrize(
    "out",
    [
        {"path": "out.parquet"},
        {"path": "out"},
        {"database": "duckdb:out.db", "table": "t"},
        {"database": "sqlite:out.db", "table": "t"},
    ],
)
@pytest.mark.parametrize("waiver", [False, True])
@pytest.mark.parametrize("rows", ["keep", "drop"])
def test_a_release_without_any_value_is_refused_with_the_reason(
    tmp_path: Path, out: dict[str, str], waiver: bool, rows: str
) -> None:
    lines = ["age,ill,open", *[",," for _ in range(8)], *(["30,flu,yes", "31,flu,yes"] if waiver else [])]
    (tmp_path / "in.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
    columns = {"age": {"role": "quasi", "taxonomy": {"flat": True}}, "ill": {"role": "sensitive"}}
    columns["open"] = {"role": "waiver"} if waiver else {"role": "identifier"}
    given = {
        "data": {"path": "in.csv"},
        "columns": columns,
        "models": [{"name": "k_anonymity", "k": 2}],
        "suppression": {"limit": 1.0, "rows": rows},
        "output": out,
    }
    with pytest.raises(InfeasibleError, match=r"8 records have no value .* Publish a text file") as refused:
        Plan.of(given, folder=tmp_path).run()
    assert "release_stored" not in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_release_that_fails_without_records_of_no_value_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(InfeasibleError, match=r"4 records have no value .* Publish a text file"):
        with_missing_values(tmp_path, "out.parquet", 10, cost=False).run()
    assert not (tmp_path / "out.parquet").exists()
