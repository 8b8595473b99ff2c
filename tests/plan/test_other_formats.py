"""Releases as files of SPSS and Stata, and as folders of Parquet files."""

from __future__ import annotations

import hashlib
import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

from sfumato.audit.audit import Audit
from sfumato.audit.file_digest import FileDigest
from sfumato.engines.writing import sinks
from sfumato.errors import DataError, OutputError, PlanError, SchemaError, UsageError
from sfumato.plan import Plan
from sfumato.runtime import atomic_files

PLAN: dict[str, Any] = {
    "data": {"path": "in.parquet"},
    "columns": {
        "age": {"role": "quasi"},
        "job": {"role": "quasi", "taxonomy": {"flat": True}},
        "pay": {"role": "sensitive"},
    },
    "models": [{"name": "k_anonymity", "k": 3}],
    "output": {"path": "out", "certificate": "out.json"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    draws = random.Random(0)
    frame = pd.DataFrame(
        {
            "age": [draws.randint(20, 30) for _ in range(60)],
            "job": [draws.choice("ABC") for _ in range(60)],
            "pay": [draws.choice([1000.5, 2000.25, None]) for _ in range(60)],
            "since": [pd.Timestamp(2020, 1, 1 + place % 28).date() for place in range(60)],
            "staff": [place % 2 == 0 for place in range(60)],
        }
    )
    frame.to_parquet(tmp_path / "in.parquet", index=False)
    return tmp_path


def plan(output: str, **changes: Any) -> dict[str, Any]:
    return {**PLAN, "output": {**PLAN["output"], "path": output}, **changes}


@pytest.mark.parametrize("name", ["out.sav", "out.zsav", "out.dta"])
def test_files_of_spss_and_stata_are_written_and_judged(folder: Path, name: str) -> None:
    outcome = Plan.of(plan(name), folder).run()
    read = pyreadstat.read_dta if name.endswith("dta") else pyreadstat.read_sav
    written, before = read(folder / name)[0], pd.read_parquet(folder / "in.parquet")
    assert written.groupby(["age", "job"]).size().min() >= 3
    pd.testing.assert_series_equal(written["pay"], before["pay"])
    assert written["since"].tolist() == before["since"].tolist()
    assert written["staff"].tolist() == before["staff"].astype(int).tolist()
    assert all(verdict.holds for verdict in outcome.verdicts)
    assert Audit.of_file(folder / name, quasi=["age", "job"]).k >= 3
    digest = json.loads((folder / "out.json").read_text())["output"]["sha256"]
    assert digest == hashlib.sha256((folder / name).read_bytes()).hexdigest()


@pytest.mark.parametrize("name", ["out.sav", "out.dta"])
def test_names_that_a_program_does_not_allow_are_refused_before_any_work(folder: Path, name: str) -> None:
    frame = pd.read_parquet(folder / "in.parquet")
    for wrong in ("full name", "1st", "x" * 70, "PAY"):
        frame.assign(**{wrong: 1}).to_parquet(folder / "in.parquet", index=False)
        with pytest.raises(SchemaError, match="cannot have this name"):
            Plan.of(plan(name), folder).run()
    assert not (folder / name).exists()


def test_what_the_file_cannot_hold_exactly_is_refused(folder: Path) -> None:
    frame = pd.read_parquet(folder / "in.parquet")
    for values in (2**60 + 1, "x" * 3000):
        frame.assign(more=values).to_parquet(folder / "in.parquet", index=False)
        with pytest.raises(DataError, match="column 'more' has") as caught:
            Plan.of(plan("out.dta"), folder).run()
        assert str(values) not in str(caught.value)
    assert not (folder / "out.dta").exists()


def test_without_the_library_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(UsageError, match=r"sfumato\[formats\]"):
        Plan.of(plan("out.sav"), folder).run()


def test_a_folder_has_files_of_so_many_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sinks, "_PART", 20)
    table = pa.table({"age": range(50)})
    with sinks.sink_for(tmp_path / "out", table.schema, ",") as sink:
        for batch in table.to_batches(max_chunksize=10):
            sink.write(batch, np.zeros(batch.num_rows, dtype=bool))
    assert [pq.read_metadata(path).num_rows for path in sorted((tmp_path / "out").iterdir())] == [20, 20, 10]
    assert pq.read_table(tmp_path / "out") == table


def test_a_folder_is_replaced_as_a_whole(folder: Path) -> None:
    (folder / "out").mkdir()
    Plan.of(plan("out"), folder).run()
    first = folder_bytes(folder / "out")
    Plan.of(plan("out"), folder).run()
    assert folder_bytes(folder / "out") == first
    assert [path.name for path in (folder / "out").iterdir()] == ["part-00001.parquet"]
    assert len(pq.read_table(folder / "out")) == 60
    assert Audit.of_file(folder / "out", quasi=["age", "job"]).k >= 3
    digest = json.loads((folder / "out.json").read_text())["output"]["sha256"]
    assert digest == FileDigest().of(folder / "out")["value"]
    assert sorted(path.name for path in folder.iterdir()) == ["in.parquet", "out", "out.json"]


def folder_bytes(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "files", [["patients_2023.parquet", "patients_2024.parquet"], ["part-00001.parquet"], ["year=2024/a.parquet"]]
)
def test_a_folder_that_no_publication_wrote_is_not_replaced(folder: Path, files: list[str]) -> None:
    for name in files:
        (folder / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pq.read_table(folder / "in.parquet"), folder / "out" / name)
    before = folder_bytes(folder / "out")
    with pytest.raises(OutputError, match=r"a folder that no publication wrote.*remove it if it is not needed"):
        Plan.of(plan("out"), folder).run()
    assert folder_bytes(folder / "out") == before
    assert not (folder / "out.json").exists()


def test_a_release_with_other_files_or_in_another_name_is_not_replaced(folder: Path) -> None:
    Plan.of(plan("out"), folder).run()
    part = folder / "out" / "part-00001.parquet"
    pq.write_table(pq.read_table(folder / "in.parquet"), folder / "out" / "more.parquet")
    with pytest.raises(OutputError, match="or that has other files too"):
        Plan.of(plan("out"), folder).run()
    # somebody's own files: what was made from a part, and a copy under another name
    pq.write_table(pq.read_table(part), part)
    with pytest.raises(OutputError, match="no publication wrote"):
        Plan.of(plan("out"), folder).run()
    (folder / "out" / "more.parquet").unlink()
    part.unlink()
    Plan.of(plan("out"), folder).run()
    part.rename(folder / "out" / "kept.parquet")
    with pytest.raises(OutputError, match="no publication wrote"):
        Plan.of(plan("out"), folder).run()
    assert (folder / "out" / "kept.parquet").exists()


def test_a_folder_that_gets_other_files_meanwhile_is_not_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sfumato.plan import publication

    Plan.of(plan("out"), folder).run()
    certificate, check = (folder / "out.json").read_text(), publication._check_written_files

    def meddled(*given: Any) -> Any:
        (folder / "out" / "letter.txt").write_text("kept")
        return check(*given)

    monkeypatch.setattr(publication, "_check_written_files", meddled)
    with pytest.raises(OutputError, match="or that has other files too"):
        Plan.of(plan("out"), folder).run()
    assert (folder / "out" / "letter.txt").read_text() == "kept"
    assert (folder / "out.json").read_text() == certificate


def test_a_document_does_not_replace_a_folder(folder: Path) -> None:
    Plan.of(plan("out"), folder).run()
    before = folder_bytes(folder / "out")
    given = plan("other.csv")
    for key in ("certificate", "report"):
        with pytest.raises(PlanError, match=rf"\[output\] {key} names a folder; name a file"):
            Plan.of({**given, "output": {**given["output"], key: "out"}}, folder).run()
    assert folder_bytes(folder / "out") == before


def test_a_file_by_itself_has_no_mark(folder: Path) -> None:
    Plan.of(plan("out.parquet"), folder).run()
    assert b"sfumato" not in (pq.read_metadata(folder / "out.parquet").metadata or {})


def test_a_folder_with_other_files_is_not_replaced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "letter.txt").write_text("kept")
    with pytest.raises(OutputError, match="or that has other files too"):
        Plan.of(plan("out"), folder).run()
    assert (folder / "out" / "letter.txt").read_text() == "kept"
    (folder / "here").mkdir()
    monkeypatch.chdir(folder / "here")
    with pytest.raises(OutputError, match="or that has other files too"):
        Plan.of(plan("here"), folder).run()


def test_a_folder_that_holds_an_input_is_not_replaced(folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "in.parquet").rename(folder / "out" / "in.parquet")
    with pytest.raises(PlanError, match="names a folder that holds"):
        Plan.of(plan("out", data={"path": "out/in.parquet"}), folder).run()
    assert (folder / "out" / "in.parquet").exists()


@pytest.mark.parametrize("by_linux", [True, False])
def test_a_failure_restores_the_old_folder(folder: Path, monkeypatch: pytest.MonkeyPatch, by_linux: bool) -> None:
    if not by_linux:
        monkeypatch.setattr(atomic_files, "_exchanged_by_linux", lambda one, other: False)
    (folder / "out").mkdir()
    old = pa.table({"age": [1]}, metadata={atomic_files.PART_MARK: "old.parquet"})
    pq.write_table(old, folder / "out" / "old.parquet")
    replace = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if Path(target).name == "out.json":
            raise OSError(28, os.strerror(28))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(OutputError, match="the disk is full"):
        Plan.of(plan("out"), folder).run()
    monkeypatch.undo()
    assert [path.name for path in (folder / "out").iterdir()] == ["old.parquet"]
    assert not (folder / "out.json").exists()
    Plan.of(plan("out"), folder).run()
    assert [path.name for path in (folder / "out").iterdir()] == ["part-00001.parquet"]


@pytest.mark.parametrize("name", ["out.sav", "out.dta"])
@pytest.mark.parametrize("value_labels", ["texts", "codes"])
def test_labels_of_values_become_texts(folder: Path, name: str, value_labels: str) -> None:
    """A list of labels would also tell those of values that no published record has: nobody is 3 here."""
    frame = pd.read_parquet(folder / "in.parquet").drop(columns=["since", "pay"])
    frame["sex"] = [1 + place % 2 for place in range(60)]
    meaning = {1: "male", 2: "female", 3: "canary"}
    pyreadstat.write_sav(frame, folder / "in.sav", variable_value_labels={"sex": meaning})
    given = plan(name, data={"path": "in.sav", "value_labels": value_labels})
    given["columns"] = {"age": {"role": "quasi"}, "job": {"role": "quasi"}, "sex": {"role": "sensitive"}}
    Plan.of(given, folder).run()
    read = pyreadstat.read_dta if name.endswith("dta") else pyreadstat.read_sav
    published, about = read(folder / name)
    assert about.variable_value_labels == {}
    assert b"canary" not in (folder / name).read_bytes()
    expected = frame["sex"].map(meaning) if value_labels == "texts" else frame["sex"]
    assert published["sex"].tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["out.sav", "out.dta"])
def test_published_columns_of_spss_keep_their_labels(folder: Path, name: str) -> None:
    frame = pd.read_parquet(folder / "in.parquet").drop(columns="since")
    labels = {"age": "Age in years", "job": "Occupation", "pay": "Net income"}
    pyreadstat.write_sav(frame, folder / "in.sav", column_labels=labels)
    given = plan(name, data={"path": "in.sav"})
    given["columns"] = {**given["columns"], "pay": {"role": "identifier"}}
    Plan.of(given, folder).run()
    read = pyreadstat.read_dta if name.endswith("dta") else pyreadstat.read_sav
    about = read(folder / name)[1]
    assert {key: label for key, label in about.column_names_to_labels.items() if label} == {
        "age": "Age in years",
        "job": "Occupation",
    }
