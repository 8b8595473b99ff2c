from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sfumato.runtime import private_folders
from sfumato.runtime.private_folders import PrivateFolder

HOLDS = """
import sys
from pathlib import Path
from sfumato.runtime.private_folders import PrivateFolder

folder = PrivateFolder(Path(sys.argv[1]))
(folder.path / "records.csv").write_text("secret")
print(folder.path.name, flush=True)
sys.stdin.read()
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@contextmanager
def process_with_a_folder(parent: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """Another process that has a private folder here; it lives until its input ends or it is killed."""
    command = [sys.executable, "-c", HOLDS, str(parent)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield parent / process.stdout.readline().strip(), process
        finally:
            process.kill()


def abandoned(parent: Path) -> Path:
    """What a killed process leaves."""
    with process_with_a_folder(parent) as (folder, process):
        process.kill()
        process.wait()
    assert (folder / "records.csv").exists()
    return folder


def test_only_its_owner_can_read_it_and_it_is_gone_afterwards(tmp_path: Path) -> None:
    with PrivateFolder(tmp_path) as folder:
        (folder.path / "deep").mkdir()
        (folder.path / "deep" / "file").write_text("secret")
        assert folder.path.parent == tmp_path
        assert folder.path.stat().st_mode & 0o777 == 0o700
        assert folder.path.name.startswith(".sfumato-")
    assert names(tmp_path) == []
    folder.close()


def test_without_a_parent_it_is_in_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with PrivateFolder() as folder:
        assert folder.path.parent == tmp_path


def test_one_that_nobody_holds_any_more_is_removed(tmp_path: Path) -> None:
    folder = PrivateFolder(tmp_path)
    assert folder.path.is_dir()
    del folder
    gc.collect()
    assert names(tmp_path) == []


def test_the_next_one_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    left = [abandoned(tmp_path), abandoned(tmp_path)]
    (left[1] / "deep").mkdir()
    (left[1] / "deep" / "file").write_text("secret")
    with PrivateFolder(tmp_path) as folder:
        assert names(tmp_path) == [folder.path.name]


def test_the_folder_of_a_living_process_stays(tmp_path: Path) -> None:
    with process_with_a_folder(tmp_path) as (other, _):
        with PrivateFolder(tmp_path) as mine, PrivateFolder(tmp_path) as second:
            assert names(tmp_path) == sorted([other.name, mine.path.name, second.path.name])
        assert (other / "records.csv").read_text() == "secret"


def test_a_folder_before_its_lock_is_either_kept_or_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cleaner that comes between making and locking takes the folder for abandoned; its maker makes another one."""
    make, made = tempfile.mkdtemp, []

    def cleaned_at_once(**given: str) -> str:
        made.append(make(**given))
        if len(made) == 1:
            private_folders.remove_abandoned(tmp_path)
            assert names(tmp_path) == []
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", cleaned_at_once)
    with PrivateFolder(tmp_path) as folder:
        assert [str(folder.path)] == made[1:]
        assert folder.path.is_dir()


def test_a_folder_that_a_cleaner_holds_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")
    make, held = tempfile.mkdtemp, []

    def held_at_once(**given: str) -> str:
        path = make(**given)
        if not held:
            held.append(os.open(path, os.O_RDONLY))
            fcntl.flock(held[0], fcntl.LOCK_EX)
        return path

    monkeypatch.setattr(tempfile, "mkdtemp", held_at_once)
    with PrivateFolder(tmp_path) as folder:
        assert len(names(tmp_path)) == 2
        assert not os.path.samestat(os.fstat(held[0]), folder.path.stat())
    os.close(held[0])


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    left = abandoned(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (elsewhere / "kept").write_text("mine")
    (left / "inside").symlink_to(elsewhere)
    planted = tmp_path / f"{left.name}x"
    planted.symlink_to(elsewhere)
    private_folders.remove_abandoned(tmp_path)
    assert names(tmp_path) == sorted([planted.name, "elsewhere"])
    assert names(elsewhere) == ["kept"]


def test_files_and_pipes_of_such_a_name_are_left(tmp_path: Path) -> None:
    left = abandoned(tmp_path)
    (tmp_path / f"{left.name}x").write_text("somebody's")
    os.mkfifo(tmp_path / f"{left.name}y")
    private_folders.remove_abandoned(tmp_path)
    assert names(tmp_path) == [f"{left.name}x", f"{left.name}y"]


def test_the_folder_of_another_user_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = abandoned(tmp_path)
    owner = left.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    private_folders.remove_abandoned(tmp_path)
    assert names(tmp_path) == [left.name]


def test_a_folder_that_others_may_enter_is_left(tmp_path: Path) -> None:
    left = abandoned(tmp_path)
    left.chmod(0o755)
    private_folders.remove_abandoned(tmp_path)
    assert names(tmp_path) == [left.name]


def test_folders_of_another_machine_and_of_other_programs_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two machines may share a folder without sharing locks."""
    left = abandoned(tmp_path)
    (tmp_path / ".sfumato-mine").mkdir(mode=0o700)
    (tmp_path / "sfumato-demo").mkdir(mode=0o700)
    with monkeypatch.context() as there:
        there.setattr(private_folders, "_node", lambda: "another")
        there.setattr(private_folders, "_boot", lambda: "another")
        private_folders.remove_abandoned(tmp_path)
    assert names(tmp_path) == sorted([left.name, ".sfumato-mine", "sfumato-demo"])
    private_folders.remove_abandoned(tmp_path)
    assert names(tmp_path) == [".sfumato-mine", "sfumato-demo"]


@pytest.mark.parametrize("same", ["_node", "_boot"])
def test_after_a_restart_or_in_another_container_the_machine_is_still_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, same: str
) -> None:
    abandoned(tmp_path)
    other = "_boot" if same == "_node" else "_node"
    monkeypatch.setattr(private_folders, other, lambda: "another")
    private_folders.remove_abandoned(tmp_path)
    assert names(tmp_path) == []


def test_two_cleaners_at_once(tmp_path: Path) -> None:
    for _ in range(5):
        abandoned(tmp_path)
    start, failures = threading.Barrier(4), []

    def clean() -> None:
        start.wait()
        try:
            private_folders.remove_abandoned(tmp_path)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=clean) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert names(tmp_path) == []


@pytest.mark.parametrize("missing", ["module", "lock"])
def test_without_locks_nothing_of_others_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    fcntl = pytest.importorskip("fcntl")
    left = abandoned(tmp_path)

    def refuse(*_: int) -> None:
        raise OSError(95, "Operation not supported")

    if missing == "module":
        monkeypatch.setattr(private_folders, "fcntl", None)
    else:
        monkeypatch.setattr(fcntl, "flock", refuse)
    with PrivateFolder(tmp_path) as folder:
        assert names(tmp_path) == sorted([left.name, folder.path.name])
    assert names(tmp_path) == [left.name]


def test_a_forked_child_leaves_the_folder_of_its_parent(tmp_path: Path) -> None:
    code = """
import os, sys
from pathlib import Path
from sfumato.runtime.private_folders import PrivateFolder
folder = PrivateFolder(Path(sys.argv[1]))
child = os.fork()
if not child:
    folder.close()
    os._exit(0)
os.waitpid(child, 0)
print(folder.path.is_dir())
"""
    found = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert found.stdout == "True\n"
    assert names(tmp_path) == []


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    private_folders.remove_abandoned(tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        PrivateFolder(tmp_path / "none")
