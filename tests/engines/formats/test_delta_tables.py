"""Delta tables: the current version and nothing else, whatever files lie in the folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake

from sfumato.audit.file_digest import FileDigest
from sfumato.engines.readable_files import readable
from sfumato.errors import DataError, UsageError
from sfumato.plan import Plan


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table of three versions; the last one lacks a record that is still in a file."""
    path = tmp_path / "people"
    first = pa.table({"age": [31, 31, 31, 44], "year": [2020, 2020, 2021, 2021], "job": ["a", None, "b", "gone"]})
    write_deltalake(path, first, partition_by=["year"])
    write_deltalake(path, pa.table({"age": [44, 44], "year": [2021, 2021], "job": ["c", "c"]}), mode="append")
    DeltaTable(path).delete("job = 'gone'")
    return path


def rows(path: Path) -> list[tuple[Any, ...]]:
    return sorted((row["age"], row["year"], str(row["job"])) for row in pq.read_table(path).to_pylist())


def test_the_current_version_is_read(folder: Path) -> None:
    file = readable(folder)
    kept = [(31, 2020, "None"), (31, 2020, "a"), (31, 2021, "b"), (44, 2021, "c"), (44, 2021, "c")]
    assert (file.version, rows(file.path)) == (2, kept)
    assert file.typed
    assert file.described == "folder 'people'"
    assert file.path.parent.stat().st_mode & 0o077 == 0


def test_certificate_and_digest_are_those_of_the_version(folder: Path) -> None:
    plan = {
        "data": {"path": "people"},
        "columns": {"age": {"role": "quasi"}, "year": {"role": "quasi"}},
        "models": [{"name": "k_anonymity", "k": 2}],
        "output": {"path": "out.csv", "certificate": "out.json", "input_digest": "sha256"},
    }
    Plan.of(plan, folder.parent).run()
    said = json.loads((folder.parent / "out.json").read_text())["input"]
    assert (said["records"], said["delta_version"]) == (5, 2)
    digest = said["digest"]["value"]
    write_deltalake(folder, pa.table({"age": [9], "year": [2021], "job": ["d"]}), mode="append")
    assert FileDigest().of(folder, 2)["value"] == digest
    assert FileDigest().of(folder, 3)["value"] != digest
    assert readable(folder).version == 3


def test_what_cannot_be_read_is_said_without_values(folder: Path) -> None:
    for file in folder.rglob("*.parquet"):
        file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(DataError, match=r"Delta table that cannot be read.*Write its current version"):
        readable(folder)
    for file in folder.rglob("*.parquet"):
        file.unlink()
    with pytest.raises(DataError, match="one of its files is gone") as caught:
        readable(folder)
    assert caught.value.__cause__ is None
    (folder / "_delta_log" / f"{1:020}.json").write_text("{")
    with pytest.raises(DataError, match="Delta table that cannot be read"):
        readable(folder)


def test_mapped_columns_are_refused_and_not_read_as_missing(folder: Path) -> None:
    log = folder / "_delta_log" / f"{3:020}.json"
    log.write_text(json.dumps({"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}) + "\n")
    with pytest.raises(DataError, match="mapped columns"):
        readable(folder)


def test_without_the_library_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "deltalake.exceptions", None)
    with pytest.raises(UsageError, match=r"sfumato\[formats\]"):
        readable(folder)
