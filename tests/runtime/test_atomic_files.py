from __future__ import annotations

import errno
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import OutputError
from sfumato.runtime.atomic_files import PART_MARK, Staging, demand_table_possible, reason, write_text


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_results_appear_together(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    targets = [tmp_path / "a.csv", tmp_path / "other" / "b.json"]
    targets[0].write_text("old")
    with Staging(targets) as staging:
        for target in targets:
            staging.place(target).write_text("new")
        assert staging.place(targets[0]).suffix == ".csv"
        assert targets[0].read_text() == "old"
        staging.commit()
    assert [target.read_text() for target in targets] == ["new", "new"]
    assert names(tmp_path) == ["a.csv", "other"]
    assert names(tmp_path / "other") == ["b.json"]


@pytest.mark.parametrize("failure", [KeyboardInterrupt, SystemExit, ValueError])
def test_a_failure_keeps_what_was_there_and_leaves_nothing(tmp_path: Path, failure: type[BaseException]) -> None:
    target = tmp_path / "a.csv"
    target.write_text("old")

    def fail_halfway() -> None:
        with Staging([target]) as staging:
            staging.place(target).write_text("half")
            raise failure

    with pytest.raises(failure):
        fail_halfway()
    assert target.read_text() == "old"
    assert names(tmp_path) == ["a.csv"]


def test_a_full_disk_is_said_in_words(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    with pytest.raises(OutputError, match="the disk is full"), Staging([target]):
        raise OSError(errno.ENOSPC, "No space left on device", "/secret/path")
    assert names(tmp_path) == []


def test_if_one_move_fails_the_old_files_come_back(tmp_path: Path) -> None:
    old, fresh = tmp_path / "a", tmp_path / "b"
    old.write_text("old")
    with Staging([old, fresh]) as staging:
        staging.place(old).write_text("new")
        with pytest.raises(OutputError, match="moved into place"):
            staging.commit()  # b was never written
    assert old.read_text() == "old"
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("links", [True, False])
def test_the_old_file_is_there_until_the_new_one_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """A process killed in the middle of moving leaves the old file or the new one under the final name."""
    target, seen = tmp_path / "a.csv", []
    target.write_text("old")
    replace = Path.replace

    def look_first(self: Path, other: Path) -> Path:
        seen.append(target.read_text())
        return replace(self, other)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    if links:
        monkeypatch.setattr(Path, "replace", look_first)
    else:
        monkeypatch.setattr(os, "link", refuse)
    with Staging([target]) as staging:
        staging.place(target).write_text("new")
        staging.commit()
    assert seen == (["old"] if links else [])
    assert target.read_text() == "new"
    assert names(tmp_path) == ["a.csv"]


def test_a_folder_that_is_not_there_or_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for bad in (tmp_path / "none" / "a", tmp_path / "file" / "a", tmp_path):
        with pytest.raises(OutputError), Staging([tmp_path / "good", bad]):
            pytest.fail("nothing may be written")
    assert names(tmp_path) == ["file"]


def part(folder: Path, name: str, mark: str | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    metadata = {} if mark is None else {PART_MARK: mark}
    pq.write_table(pa.table({"a": [1]}, metadata=metadata), folder / name)


@pytest.mark.parametrize(
    ("parts", "replaced"),
    [
        ({}, True),
        ({"a.parquet": "a.parquet", "b.parquet": "b.parquet"}, True),
        ({"a.parquet": "a.parquet", "b.parquet": None}, False),
        ({"a.parquet": "b.parquet"}, False),
        ({"more/a.parquet": "a.parquet"}, False),
    ],
)
def test_only_folders_with_marked_parts_alone_are_replaced(
    tmp_path: Path, parts: dict[str, str | None], replaced: bool
) -> None:
    target = tmp_path / "out"
    target.mkdir()
    for name, mark in parts.items():
        part((target / name).parent, Path(name).name, mark)
    if not replaced:
        with pytest.raises(OutputError, match="no publication wrote"), Staging([target]):
            pytest.fail("nothing may be written")
        assert {path.relative_to(target).as_posix() for path in target.rglob("*.parquet")} == set(parts)
        return
    with Staging([target]) as staging:
        part(staging.place(target), "new.parquet", "new.parquet")
        staging.commit()
    assert names(target) == ["new.parquet"]
    assert names(tmp_path) == ["out"]


def test_files_that_are_no_parquet_or_links_are_no_parts(tmp_path: Path) -> None:
    part(tmp_path, "a.parquet", "a.parquet")
    for number, make in enumerate(
        (lambda path: path.write_text("x"), lambda path: path.symlink_to(tmp_path / path.name))
    ):
        target = tmp_path / f"out{number}"
        target.mkdir()
        make(target / "a.parquet")
        with pytest.raises(OutputError, match="no publication wrote"), Staging([target]):
            pytest.fail("nothing may be written")


def test_a_file_does_not_replace_a_folder(tmp_path: Path) -> None:
    for target in (tmp_path / "out", tmp_path / "out.json"):
        part(target, "a.parquet", "a.parquet")
        with pytest.raises(OutputError, match="is a folder, and a file would replace it"):
            write_text("new", target)
        assert names(target) == ["a.parquet"]
    assert names(tmp_path) == ["out", "out.json"]


def test_a_table_without_an_ending_replaces_no_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "file.csv").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder").mkdir()
    for name in ("file", "link"):
        with pytest.raises(OutputError, match=f"{name}' is a .* name a new folder, or a file with an ending"):
            demand_table_possible(tmp_path / name)
    for name in ("file.csv", "folder", "new"):
        demand_table_possible(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_one_may_not_write_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="not writable"), Staging([tmp_path / "a"]):
        pytest.fail("nothing may be written")
    tmp_path.chmod(0o700)


def test_reasons_hold_no_path() -> None:
    assert reason(OSError(errno.EIO, "Input/output error", "/secret")) == "input/output error."
    assert reason(PermissionError(errno.EACCES, "x", "/secret")) == "the folder is not writable."


def test_text_is_utf8_with_plain_line_ends(tmp_path: Path) -> None:
    write_text("ä\n", tmp_path / "t")
    assert (tmp_path / "t").read_bytes() == "ä\n".encode()
