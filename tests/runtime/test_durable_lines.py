from __future__ import annotations

import errno
import os
import threading
import time

import pytest

from sfumato.errors import LockedError, OutputError, UsageError
from sfumato.runtime import durable_lines
from sfumato.runtime.durable_lines import DurableLines, lock_of


def together(many, work):
    threads = [threading.Thread(target=work, args=(place,)) for place in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not [thread for thread in threads if thread.is_alive()]


def test_lines_stand_in_the_order_in_which_they_were_made(tmp_path):
    lines, made = DurableLines(tmp_path / "a.log"), []

    def make():
        made.append(b"%d" % len(made))
        return made[-1]

    together(8, lambda _: [lines.append(make) for _ in range(50)])
    lines.close()
    assert (tmp_path / "a.log").read_bytes().splitlines() == made
    assert len(made) == 400


def test_a_line_is_synced_before_its_writer_goes_on(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(durable_lines, "_sync", lambda file: synced.append(os.fstat(file).st_size))
    lines = DurableLines(tmp_path / "a.log")
    for place in range(3):
        lines.append(lambda: b"abc")
        assert synced[-1] == 4 * (place + 1)
    lines.close()


def test_many_writers_share_one_wait_for_the_disk(tmp_path, monkeypatch):
    """While the disk takes the first line, the lines of the 19 others gather and go to it together."""
    synced = []

    def slow(file):
        synced.append(os.fstat(file).st_size)
        while len(synced) == 1 and (lines._open_batch is None or len(lines._open_batch.items) < 19):
            time.sleep(0.001)

    monkeypatch.setattr(durable_lines, "_sync", slow)
    lines = DurableLines(tmp_path / "a.log")
    together(20, lambda _: lines.append(lambda: b"x"))
    lines.close()
    assert synced == [2, 40]


def test_a_second_writer_is_refused_until_the_first_one_closes(tmp_path):
    first = DurableLines(tmp_path / "a.log")
    with pytest.raises(LockedError, match="being written by another process"):
        DurableLines(tmp_path / "a.log")
    first.close()
    DurableLines(tmp_path / "a.log").close()
    assert lock_of(tmp_path / "a.log").exists()


def test_a_turn_keeps_all_lines_and_the_lock(tmp_path):
    lines = DurableLines(tmp_path / "a.log")
    lines.append(lambda: b"one")
    lines.rotate(lambda: (b"last", b"first"), tmp_path / "old.log")
    lines.append(lambda: b"two")
    with pytest.raises(LockedError, match="another process"):
        DurableLines(tmp_path / "a.log")
    lines.close()
    assert (tmp_path / "old.log").read_bytes() == b"one\nlast\n"
    assert (tmp_path / "a.log").read_bytes() == b"first\ntwo\n"


def test_a_turn_overwrites_nothing(tmp_path):
    (tmp_path / "old.log").write_text("kept")
    lines = DurableLines(tmp_path / "a.log")
    with pytest.raises(OutputError):
        lines.rotate(lambda: (None, b"first"), tmp_path / "old.log")
    lines.close()
    assert (tmp_path / "old.log").read_text() == "kept"


def test_after_a_failed_write_nobody_is_told_that_it_worked(tmp_path, monkeypatch):
    told, lines = [], DurableLines(tmp_path / "a.log")

    def full(file):
        time.sleep(0.05)
        raise OSError(errno.ENOSPC, "full")

    def work(_):
        try:
            lines.append(lambda: b"x")
            told.append("stored")
        except OutputError:
            told.append("refused")

    monkeypatch.setattr(durable_lines, "_sync", full)
    together(8, work)
    monkeypatch.undo()
    work(0)
    assert told == ["refused"] * 9
    with pytest.raises(OutputError, match="could not be written before; open it again"):
        lines.append(lambda: b"y")
    lines.close()


def test_a_part_of_a_line_is_a_failure(tmp_path, monkeypatch):
    lines = DurableLines(tmp_path / "a.log")
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, data: len(data) - 1)
        with pytest.raises(OutputError, match="disk is full"):
            lines.append(lambda: b"x")
    lines.close()


def test_what_cannot_be_made_is_not_written(tmp_path):
    lines = DurableLines(tmp_path / "a.log")
    with pytest.raises(ZeroDivisionError):
        lines.append(lambda: b"%d" % (1 // 0))
    lines.append(lambda: b"x")
    lines.close()
    assert (tmp_path / "a.log").read_bytes() == b"x\n"


def test_an_interrupted_writer_leaves_nobody_waiting(tmp_path, monkeypatch):
    lines, told = DurableLines(tmp_path / "a.log"), []

    def interrupted(file):
        time.sleep(0.05)
        raise KeyboardInterrupt

    def work(_):
        try:
            lines.append(lambda: b"x")
        except (KeyboardInterrupt, OutputError) as error:
            told.append(type(error))

    monkeypatch.setattr(durable_lines, "_sync", interrupted)
    together(5, work)
    assert len(told) == 5
    assert told.count(KeyboardInterrupt) == 1
    lines.close()


def test_closing_waits_for_lines_on_their_way_and_refuses_more(tmp_path, monkeypatch):
    begun = threading.Event()

    def slow(file):
        begun.set()
        time.sleep(0.05)

    monkeypatch.setattr(durable_lines, "_sync", slow)
    lines = DurableLines(tmp_path / "a.log")
    thread = threading.Thread(target=lambda: lines.append(lambda: b"x"))
    thread.start()
    begun.wait(5)
    lines.close()
    lines.close()
    thread.join(5)
    assert (tmp_path / "a.log").read_bytes() == b"x\n"
    with pytest.raises(UsageError, match="is closed"):
        lines.append(lambda: b"y")


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(OutputError, match="no such folder"):
        DurableLines(tmp_path / "nowhere" / "a.log")


MEDDLING = {
    "moved": lambda path: path.rename(path.with_name("b.log")),
    "replaced": lambda path: (
        path.with_name("b.log").write_bytes(path.read_bytes()),
        path.with_name("b.log").rename(path),
    ),
    "removed": lambda path: path.unlink(),
    "cut": lambda path: os.truncate(path, 0),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"two\n"),
}


@pytest.mark.parametrize("how", MEDDLING)
def test_a_file_that_somebody_else_changed_is_written_no_more(tmp_path, how):
    path = tmp_path / "a.log"
    lines = DurableLines(path)
    lines.append(lambda: b"one")
    assert lines.problem == ""
    MEDDLING[how](path)
    assert lines.problem.startswith("it was moved, replaced or changed by another program")
    for said in ("cannot be written: it was moved, replaced or changed", "could not be written before"):
        with pytest.raises(OutputError, match=f"'a.log' {said}"):
            lines.append(lambda: b"three")
    assert lines.problem
    lines.close()
    assert b"three" not in b"".join(one.read_bytes() for one in tmp_path.iterdir())


def test_a_file_that_may_be_moved_away_is_followed_by_a_new_one(tmp_path):
    path = tmp_path / "a.log"
    lines = DurableLines(path, follow_moves=True)
    lines.append(lambda: b"one")
    path.rename(tmp_path / "b.log")
    assert lines.problem == ""
    lines.append(lambda: b"two")
    os.truncate(path, 0)
    lines.append(lambda: b"three")
    lines.close()
    assert (path.read_bytes(), (tmp_path / "b.log").read_bytes()) == (b"three\n", b"one\n")


@pytest.mark.parametrize("whole", [b"", b"one\n", b"x" * 200_000 + b"\n", b"one\n" * 70_000])
@pytest.mark.parametrize("torn", [b"tw", b"\x00" * 200_000])
def test_a_torn_end_is_set_aside_before_the_next_line(tmp_path, whole, torn):
    path = tmp_path / "a.log"
    path.write_bytes(whole + torn)
    lines = DurableLines(path)
    lines.append(lambda: b"next")
    lines.close()
    assert path.read_bytes() == whole + b"next\n"
    aside = tmp_path / "a.log.torn"
    assert aside.read_bytes() == torn + b"\n"
    assert aside.stat().st_mode & 0o077 == 0


def test_whole_lines_are_left_alone_and_so_is_an_end_that_is_somebody_elses_to_mend(tmp_path):
    path = tmp_path / "a.log"
    path.write_bytes(b"one\ntwo\n")
    DurableLines(path).close()
    path.write_bytes(b"one\ntw")
    DurableLines(path, repair_end=False).close()
    assert path.read_bytes() == b"one\ntw"
    assert not (tmp_path / "a.log.torn").exists()


def test_an_end_that_cannot_be_set_aside_keeps_nobody_else_from_writing(tmp_path):
    path = tmp_path / "a.log"
    path.write_bytes(b"on")
    (tmp_path / "a.log.torn").mkdir()
    with pytest.raises(OutputError, match=r"the end of 'a\.log' cannot be moved away"):
        DurableLines(path)
    (tmp_path / "a.log.torn").rmdir()
    DurableLines(path).close()
    assert path.read_bytes() == b""
