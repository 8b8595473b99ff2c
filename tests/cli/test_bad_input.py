"""Bad input gets a clear error and nothing is lost: every case of the list, through the command line."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.engines.writing import sinks
from tests.cli.commands import CANARIES, canary_csv, canary_plan, refused, sfumato


def publish(folder: Path, code: int, *, table: bool = True, **changes: str) -> str:
    """Publish, expect a refusal with this exit code, and see that nothing was left behind."""
    if table and not (folder / "people.csv").exists():
        canary_csv(folder / "people.csv")
    plan = canary_plan(folder, **changes)
    (folder / "release.csv").write_text("old release")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    told = refused(sfumato("publish", plan), code)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
    return told


def test_the_plan_itself_is_good(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv")
    result = sfumato("publish", canary_plan(tmp_path))
    assert result.exit_code == 0, result.output
    assert CANARIES[0] not in (tmp_path / "release.csv").read_text()
    assert not [canary for canary in CANARIES if canary in result.output]
    assert not [canary for canary in CANARIES if canary in (tmp_path / "certificate.json").read_text()]


def test_missing_column(tmp_path: Path) -> None:
    told = publish(tmp_path, 2, job='[columns.jobb]\nrole = "quasi"')
    assert "no column 'jobb'; did you mean 'job'?" in told


def test_duplicate_column_names(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(f"name,age,job,age,ill\n{CANARIES[0]},1,cook,2,{CANARIES[2]}\n")
    assert "more than one column called 'age'" in publish(tmp_path, 2)


@pytest.mark.parametrize(("content", "words"), [("", "is empty"), ("name,age,job,ill\n", "no records")])
def test_empty_file(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "people.csv").write_text(content)
    assert words in publish(tmp_path, 4)


def test_no_file(tmp_path: Path) -> None:
    assert "no file" in publish(tmp_path, 4, table=False)


def test_one_record(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv", rows=1)
    assert "k_anonymity(k=3)" in publish(tmp_path, 3)
    assert sfumato("publish", canary_plan(tmp_path, model='[[models]]\nname = "k_anonymity"\nk = 1')).exit_code == 0


def test_all_missing_column(tmp_path: Path) -> None:
    """A column without a value is a column with one value, and is published as it is."""
    canary_csv(tmp_path / "people.csv", age=[""] * 12)
    result = sfumato("publish", canary_plan(tmp_path))
    assert result.exit_code == 0, result.output
    lines = (tmp_path / "release.csv").read_text().splitlines()
    assert all(line.startswith(",") for line in lines[1:])


def test_all_missing_column_with_a_taxonomy(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv", age=["?"] * 12)
    given = {
        "data": '[data]\npath = "people.csv"\nmissing = ["?"]',
        "age": '[columns.age]\nrole = "quasi"\ntaxonomy = { width = 5 }',
    }
    result = sfumato("publish", canary_plan(tmp_path, **given))
    assert result.exit_code in (0, 2), result.output
    assert "unexpected error" not in result.output


def test_missing_quasi_values_count_as_a_value(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv", age=["", "?"] * 3 + ["30"] * 6)
    data = '[data]\npath = "people.csv"\nmissing = ["?"]'
    job = '[columns.job]\nrole = "plain"'
    assert sfumato("publish", canary_plan(tmp_path, data=data, job=job)).exit_code == 0
    result = sfumato("check", tmp_path / "release.csv", "--quasi", "age", "--model", "k_anonymity:k=6")
    assert result.exit_code == 0, result.output


def test_value_not_in_its_taxonomy(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv", rows=24, job=[f"job{row:02}" for row in range(24)])
    (tmp_path / "jobs.txt").write_text("ANY\n  work\n    job00\n")
    told = publish(tmp_path, 2, job='[columns.job]\nrole = "quasi"\ntaxonomy = { tree = "jobs.txt" }')
    assert "23" in told
    assert "'job10' and 13 more" in told
    assert "job11" not in told


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("cook;service;A\nnurse;care;B\n", "roots"),
        ("cook;service;*\ncook;kitchen;*\nnurse;care;*\n", "cook"),
    ],
)
def test_taxonomy_with_two_roots_or_two_parents(tmp_path: Path, rows: str, words: str) -> None:
    (tmp_path / "jobs.csv").write_text(rows)
    told = publish(tmp_path, 2, job='[columns.job]\nrole = "quasi"\ntaxonomy = { file = "jobs.csv" }')
    assert words in told


def test_taxonomy_with_a_cycle(tmp_path: Path) -> None:
    """cook under service and service under cook: no level file of a tree can say that."""
    (tmp_path / "jobs.csv").write_text("cook;nurse;*\nnurse;cook;*\n")
    told = publish(tmp_path, 2, job='[columns.job]\nrole = "quasi"\ntaxonomy = { file = "jobs.csv" }')
    assert "'job'" in told


def test_a_taxonomy_file_that_is_not_there(tmp_path: Path) -> None:
    told = publish(tmp_path, 4, job='[columns.job]\nrole = "quasi"\ntaxonomy = { file = "nojobs.csv" }')
    assert "nojobs.csv" in told


def test_k_larger_than_the_table(tmp_path: Path) -> None:
    told = publish(tmp_path, 3, model='[[models]]\nname = "k_anonymity"\nk = 13')
    assert "the whole table reaches 12" in told


@pytest.mark.parametrize("k", ["0", "-1", "2.0", "true", '"3"'])
def test_k_that_is_no_k(tmp_path: Path, k: str) -> None:
    told = publish(tmp_path, 2, model=f'[[models]]\nname = "k_anonymity"\nk = {k}')
    assert "[[models]] number 1: 'k' of KAnonymity must be int >= 1" in told


def test_a_column_with_two_roles(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv")
    told = refused(sfumato("check", tmp_path / "people.csv", "--quasi", "age,ill", "--sensitive", "ill"), 2)
    assert "'ill' has more than one role" in told
    told = publish(tmp_path, 2, ill='[columns.ill]\nrole = "quasi"\n\n[columns.ill]\nrole = "sensitive"')
    assert "ill" in told


def test_a_model_about_a_column_that_is_quasi(tmp_path: Path) -> None:
    told = publish(tmp_path, 2, model='[[models]]\nname = "distinct_l_diversity"\nl = 2\nsensitive = "job"')
    assert "'job' is not declared sensitive" in told


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"data": '[data]\npath = "people.csv"\nmising = []'}, "[data] has no key 'mising'; did you mean 'missing'?"),
        ({"age": '[columns.age]\nrole = "quasi"\ntaxonmy = {}'}, "did you mean 'taxonomy'?"),
        ({"model": '[[models]]\nname = "k_anonymity"\nk = 3\nkk = 1'}, "did you mean 'k'?"),
        ({"algorithm": '[algorithm]\nname = "mondrian"\ncuts = "best"'}, "did you mean 'cut'?"),
        ({"output": '[output]\npath = "release.csv"\ncertifcate = "c"'}, "did you mean 'certificate'?"),
        ({"extra": "[supression]\nlimit = 0.1"}, "did you mean 'suppression'?"),
        ({"age": '[columns.age]\nrole = "quasi"\ntaxonomy = { widht = 3 }'}, "did you mean 'width'?"),
    ],
)
def test_unknown_key_in_the_plan(tmp_path: Path, change: dict[str, str], words: str) -> None:
    assert words in publish(tmp_path, 2, **change)


def test_a_plan_that_is_no_toml(tmp_path: Path) -> None:
    assert "line" in publish(tmp_path, 2, data='[data]\npath = "people.csv"\npath = "again.csv"')
    assert "sfumato init" in refused(sfumato("publish", tmp_path / "none.toml"), 2)


def test_unreadable_encoding(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_bytes(
        f"name,age,job,ill\n{CANARIES[0]},1,k\xf6ch,{CANARIES[2]}\n".encode("latin-1")
    )
    assert "encoding" in publish(tmp_path, 4)
    data = '[data]\npath = "people.csv"\nencoding = "latin-1"'
    one = '[[models]]\nname = "k_anonymity"\nk = 1'
    assert sfumato("publish", canary_plan(tmp_path, data=data, model=one)).exit_code == 0
    assert "köch" in (tmp_path / "release.csv").read_text(encoding="utf-8")
    told = publish(tmp_path, 2, data='[data]\npath = "people.csv"\nencoding = "klingon"')
    assert "klingon" in told


def test_a_row_with_too_many_values(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv")
    with (tmp_path / "people.csv").open("a") as stream:
        stream.write(f"{CANARIES[0]},1,2,3,4,{CANARIES[2]},5\n")
    assert "people.csv" in publish(tmp_path, 4)


def test_truncated_parquet(tmp_path: Path) -> None:
    whole = tmp_path / "whole.parquet"
    pq.write_table(pa.table({"age": [1] * 500, "ill": [CANARIES[2]] * 500}), whole)
    (tmp_path / "cut.parquet").write_bytes(whole.read_bytes()[:-20])
    assert "Parquet" in refused(sfumato("check", tmp_path / "cut.parquet", "--quasi", "age"), 4)
    content = bytearray(whole.read_bytes())
    content[4:60] = b"\x00" * 56
    (tmp_path / "hole.parquet").write_bytes(bytes(content))
    assert "hole.parquet" in refused(sfumato("check", tmp_path / "hole.parquet", "--quasi", "age"), 4)


def test_a_file_of_an_unknown_kind(tmp_path: Path) -> None:
    (tmp_path / "people.docx").write_text("x")
    assert "ending" in refused(sfumato("check", tmp_path / "people.docx", "--quasi", "age"), 4)


def test_output_folder_that_cannot_be_written(tmp_path: Path) -> None:
    told = publish(tmp_path, 4, output='[output]\npath = "nowhere/release.csv"')
    assert "no such folder" in told
    told = publish(tmp_path, 4, output='[output]\npath = "people.csv/release.csv"')
    assert "not a folder" in told


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_output_folder_one_may_not_write_to(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    assert "not writable" in publish(tmp_path, 4, output='[output]\npath = "locked/release.csv"')


def test_output_over_the_input(tmp_path: Path) -> None:
    assert "would overwrite [data] path" in publish(tmp_path, 2, output='[output]\npath = "people.csv"')


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 4, "disk is full"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (ValueError(f"{CANARIES[0]} broke it"), 70, "ValueError"),
    ],
)
def test_failures_while_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, words: str
) -> None:
    def write(self: object, batch: object, suppressed: object) -> None:
        raise error

    monkeypatch.setattr(sinks.CsvSink, "write", write)
    assert words in publish(tmp_path, code)


def test_pseudonym_key_too_short(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("hush-disease")
    told = publish(
        tmp_path,
        2,
        name='[columns.name]\nrole = "identifier"\npseudonym = true',
        output='[output]\npath = "release.csv"\npseudonym_key = "key"',
    )
    assert "at least 32 bytes" in told
