from __future__ import annotations

import threading
from itertools import permutations

import pytest

from sfumato.errors import DataError
from sfumato.gateway.log import audit_verification
from sfumato.gateway.log.audit_files import earlier_files
from sfumato.gateway.log.audit_lines import write_line
from sfumato.gateway.log.audit_log import AuditLog
from sfumato.gateway.log.audit_verification import BrokenLog, LogReading, verify
from tests.gateway.some_entries import ANSWERED, small_log


def test_a_log_as_it_was_written_holds(tmp_path):
    found = verify(small_log(tmp_path))
    assert (found.holds, found.entries, found.line, found.why, found.mended) == (True, 5, None, "", 0)
    assert "5 entries" in str(found)


def test_every_changed_byte_shows(tmp_path):
    path = small_log(tmp_path, 2)
    whole = path.read_bytes()
    starts = [0, *(place + 1 for place, byte in enumerate(whole) if byte == 10)]
    for place in range(len(whole)):
        line = sum(start <= place for start in starts)
        for other in (whole[place] ^ 1, 10 if whole[place] != 10 else 32):
            path.write_bytes(whole[:place] + bytes([other]) + whole[place + 1 :])
            found = verify(path)
            assert not found.holds
            assert found.line == line
    path.write_bytes(whole)
    assert verify(path).holds


def test_every_removed_or_added_byte_shows(tmp_path):
    path = small_log(tmp_path, 1)
    whole = path.read_bytes()
    for place in range(len(whole)):
        for changed in (whole[:place] + whole[place + 1 :], whole[:place] + b" " + whole[place:]):
            path.write_bytes(changed)
            assert not verify(path).holds


def test_lines_that_are_removed_moved_or_doubled_show(tmp_path):
    path = small_log(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    for order in permutations(range(5)):
        path.write_bytes(b"".join(lines[place] for place in order))
        assert verify(path).holds == (order == (0, 1, 2, 3, 4))
    for place in range(5):
        path.write_bytes(b"".join(lines[: place + 1] + lines[place:]))
        assert verify(path).line == place + 2
    for place in range(4):
        path.write_bytes(b"".join(lines[:place] + lines[place + 1 :]))
        assert verify(path).line == place + 1


def test_a_cut_end_shows_by_a_hash_noted_elsewhere(tmp_path):
    path = small_log(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    heads = [verify(path).head]
    with AuditLog(path) as log:
        heads.append(log.append(ANSWERED).hash)
    assert [verify(path, head=head).holds for head in heads] == [True, True]
    path.write_bytes(b"".join(lines[:-1]))
    assert verify(path).holds
    cut = verify(path, head=heads[0])
    assert not cut.holds
    assert "its end was cut" in cut.why
    assert str(cut).startswith("broken at line 4 of audit.jsonl")


def forged(path, **changes):
    """A further line, rightly chained, with other fields."""
    head = verify(path)
    named = {"kind": "asked", "number": head.entries, "time": "9999", **ANSWERED.as_dict(), **changes}
    line, _ = write_line(named, head.head)
    with path.open("ab") as stream:
        stream.write(line + b"\n")
    return verify(path)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"number": 7}, "next number"),
        ({"number": 5.0}, "next number"),
        ({"number": True}, "next number"),
        ({"time": "2000-01-01T00:00:00.000000Z"}, "older"),
        ({"time": None}, "older"),
        ({"kind": "began"}, "no other, must be of kind 'began'"),
    ],
)
def test_numbers_and_times_go_on(tmp_path, changes, why):
    found = forged(small_log(tmp_path), **changes)
    assert (found.line, found.entries) == (6, 5)
    assert why in found.why


def test_nothing_follows_the_last_entry_of_a_file(tmp_path):
    path = small_log(tmp_path)
    assert forged(path, kind="ended").holds
    assert "after its closing entry" in forged(path).why


def rotated(tmp_path):
    path = tmp_path / "audit.jsonl"
    with AuditLog(path) as log:
        for _ in range(3):
            log.append(ANSWERED)
            log.rotate()
        log.append(ANSWERED)
    return path, earlier_files(path)


def test_several_files_are_one_chain(tmp_path):
    path, earlier = rotated(tmp_path)
    assert len(earlier) == 3
    assert verify(path).entries == 3 * 3 + 2
    kept = earlier[1].read_bytes()
    earlier[1].unlink()
    assert verify(path).file == earlier[2].name
    earlier[1].write_bytes(b"".join(kept.splitlines(keepends=True)[:-1]))
    assert "its end was cut" in verify(path).why
    earlier[1].write_bytes(earlier[0].read_bytes())
    assert not verify(path).holds
    earlier[1].write_bytes(kept)
    assert verify(path).holds


def test_files_that_were_moved_away_are_named_by_their_last_hash(tmp_path):
    path, earlier = rotated(tmp_path)
    lines = list(LogReading(path))
    last = [line.hash for line in lines if line.kind == "ended"]
    earlier[0].unlink()
    assert "one that is missing" in verify(path).why
    assert not verify(path, after=last[1]).holds
    assert verify(path, after=last[0]).holds
    assert verify(path, after=last[0], head=lines[0].hash).holds is False


def test_a_missing_or_empty_last_file_shows(tmp_path):
    path, _ = rotated(tmp_path)
    path.write_bytes(b"")
    assert "first line is missing" in verify(path).why
    assert verify(path).line == 1
    path.unlink()
    assert "file is missing" in verify(path).why


def test_no_log_at_all(tmp_path):
    for path in (tmp_path / "audit.jsonl", tmp_path / "nowhere" / "audit.jsonl", tmp_path):
        with pytest.raises(DataError):
            verify(path)


def test_a_log_can_be_verified_while_it_is_written(tmp_path):
    path, done, found = tmp_path / "audit.jsonl", threading.Event(), []

    def look():
        while not done.is_set():
            found.append(verify(path))

    with AuditLog(path) as log:
        thread = threading.Thread(target=look)
        thread.start()
        for place in range(300):
            log.append(ANSWERED)
            if place % 50 == 0:
                log.rotate()
        done.set()
        thread.join(10)
    assert found
    assert [item for item in found if not item.holds] == []


@pytest.mark.parametrize("place", [0, 2])
def test_a_line_that_is_being_written_is_waited_for(tmp_path, monkeypatch, place):
    path = small_log(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:place]) + lines[place][:20])

    def goes_on(seconds: float) -> None:
        path.write_bytes(b"".join(lines))

    monkeypatch.setattr(audit_verification, "has_writer", lambda path: True)
    monkeypatch.setattr(audit_verification.time, "sleep", goes_on)
    assert verify(path).entries == len(lines)
    assert verify(path).holds


def test_a_line_of_endless_length_is_not_read_whole(tmp_path):
    path = small_log(tmp_path)
    with path.open("ab") as stream:
        stream.truncate(50 << 20)
    assert verify(path).line == 6
    with pytest.raises(BrokenLog):
        list(LogReading(path))
