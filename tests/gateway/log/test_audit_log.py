from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from sfumato.errors import DataError, LockedError, OutputError, UsageError
from sfumato.gateway.log import audit_log
from sfumato.gateway.log.audit_files import earlier_files
from sfumato.gateway.log.audit_log import AuditLog
from sfumato.gateway.log.audit_verification import LogReading
from tests.gateway.some_entries import ANSWERED, REFUSED, small_log

WRITER = """
import os, sys, threading
from sfumato.gateway.log.audit_log import AuditLog
from tests.gateway.some_entries import ANSWERED

log, turns = AuditLog(sys.argv[1]), sys.argv[2] == "turns"

def work(place):
    for step in range(100_000):
        receipt = log.append(ANSWERED)
        os.write(1, f"{receipt.number} {receipt.hash}\\n".encode())
        if turns and place == 0 and step % 5 == 4:
            log.rotate()

for place in range(4):
    threading.Thread(target=work, args=(place,)).start()
"""


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_what_stands_in_the_log(tmp_path):
    first, answered, refused = lines_of(small_log(tmp_path, 2))
    assert len(first["log"]) == 32
    assert (first["kind"], first["previous"], first["number"]) == ("began", "0" * 64, 0)
    assert answered.keys() == refused.keys()
    assert {name: answered[name] for name in ("kind", "number", "rows", "milliseconds")} == {
        "kind": "asked",
        "number": 1,
        "rows": 3,
        "milliseconds": 1.235,
    }
    assert answered["columns"] == ["customers.city", "customers.age"]
    assert refused["reason"] == "DeniedError: no permission"
    moments = [datetime.strptime(line["time"], "%Y-%m-%dT%H:%M:%S.%f%z") for line in (first, answered, refused)]
    assert moments == sorted(moments)
    assert [moment.utcoffset().total_seconds() for moment in moments] == [0, 0, 0]


def test_two_logs_have_two_names(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    names = [lines_of(small_log(tmp_path / folder, 0))[0]["log"] for folder in "ab"]
    assert names[0] != names[1]


def test_a_log_is_taken_up_again(tmp_path):
    path = small_log(tmp_path, 2)
    with AuditLog(path) as log:
        assert log.head.number == 2
        receipt = log.append(ANSWERED)
        assert receipt == log.head
        assert receipt.number == 3
    assert AuditLog.verify(path, head=receipt.hash).entries == 4
    assert path.stat().st_mode & 0o777 == 0o600


def test_time_never_goes_back(tmp_path, monkeypatch):
    class Clock:
        moments = [datetime(2030, 1, 1), datetime(2020, 1, 1), datetime(2031, 1, 1)]

        @classmethod
        def now(cls, zone):
            return cls.moments.pop(0)

    monkeypatch.setattr(audit_log, "datetime", Clock)
    path = small_log(tmp_path, 2)
    assert [line["time"][:4] for line in lines_of(path)] == ["2030", "2030", "2031"]
    assert AuditLog.verify(path).holds


@pytest.mark.parametrize("torn", [b"x", b"\0" * 5000, b'{"hash":"', b"\xff\xfe\n"])
def test_a_torn_end_is_set_aside_and_said_so(tmp_path, torn):
    path = small_log(tmp_path)
    with path.open("ab") as stream:
        stream.write(torn)
    assert not AuditLog.verify(path).holds
    with AuditLog(path) as log:
        log.append(ANSWERED)
    found = AuditLog.verify(path)
    assert (found.holds, found.mended, found.entries) == (True, 1, 7)
    assert lines_of(path)[5]["bytes"] == len(torn)
    assert (tmp_path / "audit.jsonl.torn").read_bytes().rstrip(b"\n") == torn.rstrip(b"\n")


def test_a_whole_line_without_its_break_is_kept(tmp_path):
    path = small_log(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    with AuditLog(path) as log:
        log.append(ANSWERED)
    assert AuditLog.verify(path).entries == 6
    assert not (tmp_path / "audit.jsonl.torn").exists()


def test_a_torn_beginning_begins_anew(tmp_path):
    path = small_log(tmp_path, 0)
    path.write_bytes(path.read_bytes()[:50])
    AuditLog(path).close()
    assert [line["kind"] for line in lines_of(path)] == ["began", "mended"]


def test_a_changed_end_is_not_taken_for_a_torn_one(tmp_path):
    path = small_log(tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"rows":3', b'"rows":4').replace(b'"bob"', b'"eve"'))
    with pytest.raises(DataError, match="does not follow"):
        AuditLog(path)


def test_what_does_not_follow_is_taken_off_on_request(tmp_path):
    path = small_log(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b'"rows":0')] + b'"rows":1' + whole[whole.rindex(b'"rows":0') + 8 :])
    with pytest.raises(DataError, match="mend=True"):
        AuditLog(path)
    AuditLog(path, mend=True).close()
    found = AuditLog.verify(path)
    assert (found.holds, found.entries, found.mended) == (True, 5, 1)
    assert b'"rows":1' in (tmp_path / "audit.jsonl.torn").read_bytes()


def test_closed_files_go_on_in_the_next(tmp_path):
    path = tmp_path / "audit.jsonl"
    with AuditLog(path) as log:
        log.append(ANSWERED)
        closed = log.rotate()
        log.append(REFUSED)
    assert closed.name == "audit.000001.jsonl"
    old, young = lines_of(closed), lines_of(path)
    assert [line["kind"] for line in old] == ["began", "asked", "ended"]
    assert young[0]["previous"] == old[-1]["hash"]
    assert young[0]["log"] == old[0]["log"]
    assert [line["number"] for line in old + young] == [0, 1, 2, 3, 4]
    assert AuditLog.verify(path).entries == 5


def test_a_turn_that_was_interrupted_is_finished(tmp_path):
    path = tmp_path / "audit.jsonl"
    with AuditLog(path) as log:
        log.rotate()
    closed = earlier_files(path)[0]
    whole, young = closed.read_bytes(), path.read_bytes()
    for renamed, rest in ((False, None), (True, None), (True, b""), (True, young[:20])):
        for file in tmp_path.iterdir():
            file.unlink()
        (closed if renamed else path).write_bytes(whole)
        if rest is not None:
            path.write_bytes(rest)
        with AuditLog(path) as log:
            log.append(ANSWERED)
        found = AuditLog.verify(path)
        assert (found.holds, found.mended) == (True, rest == young[:20])
        assert closed.read_bytes() == whole


def test_an_earlier_file_that_was_not_closed_is_refused(tmp_path):
    path = small_log(tmp_path)
    path.rename(tmp_path / "audit.000001.jsonl")
    with pytest.raises(DataError, match="was not closed"):
        AuditLog(path)
    with pytest.raises(DataError, match="was not closed"):
        AuditLog(path)


def test_a_second_writer_is_refused(tmp_path):
    path = tmp_path / "audit.jsonl"
    with AuditLog(path), pytest.raises(LockedError, match="one writer at a time"):
        AuditLog(path)
    code = "import sys; from sfumato.gateway.log.audit_log import AuditLog; AuditLog(sys.argv[1])"
    with AuditLog(path):
        other = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=False)
    assert other.returncode == 1
    assert "being written by another process" in other.stderr


def test_many_threads_write_one_chain(tmp_path):
    path, receipts = tmp_path / "audit.jsonl", []
    with AuditLog(path) as log:

        def work(place):
            mine = [log.append(replace(ANSWERED, who=f"user {place}")) for _ in range(40)]
            receipts.extend(mine)
            if place % 4 == 0:
                log.rotate()

        threads = [threading.Thread(target=work, args=(place,)) for place in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    hashes = {line.fields["number"]: line.hash for line in LogReading(path)}
    assert len(receipts) == len(set(receipts)) == 320
    assert [receipt for receipt in receipts if hashes[receipt.number] != receipt.hash] == []
    assert AuditLog.verify(path).holds
    assert AuditLog.report(path).by_person == {f"user {place}": 40 for place in range(8)}


@pytest.mark.parametrize("turns", ["stays", "turns"])
def test_no_acknowledged_entry_is_lost_when_the_process_is_killed(tmp_path, turns):
    path, acknowledged, chance = tmp_path / "audit.jsonl", {}, random.Random(turns)
    for _ in range(4):
        command = [sys.executable, "-c", WRITER, str(path), turns]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as writer:
            seen = [writer.stdout.readline() for _ in range(chance.randrange(1, 200))]
            writer.send_signal(signal.SIGKILL)
            seen += writer.stdout.read().splitlines(keepends=True)
        assert writer.returncode == -signal.SIGKILL
        whole = [line.decode().split() for line in seen if line.endswith(b"\n")]
        acknowledged |= {int(number): own for number, own in whole}
    AuditLog(path).close()
    stored = {line.fields["number"]: line.hash for line in LogReading(path)}
    assert len(acknowledged) > 10
    assert acknowledged.items() <= stored.items()
    assert AuditLog.verify(path).holds


def test_nothing_is_told_but_the_file_and_a_number(tmp_path):
    entry = replace(ANSWERED, who="canary", statement="SELECT canary", tables=("canary",))
    with AuditLog(tmp_path / "audit.jsonl") as log:
        log.append(entry)
        assert repr(log) == "AuditLog('audit.jsonl', last entry 1)"
    with pytest.raises(UsageError) as caught:
        log.append(entry)
    assert "canary" not in str(caught.value)
    found = AuditLog.verify(tmp_path / "audit.jsonl")
    assert "canary" not in repr(found)


def test_an_answer_that_could_not_be_logged_is_not_acknowledged(tmp_path, monkeypatch):
    log = AuditLog(tmp_path / "audit.jsonl")
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, data: 3)
        with pytest.raises(OutputError):
            log.append(ANSWERED)
    assert log.head.number == 0
    log.close()


@pytest.mark.parametrize("place", ["folder", "nowhere/audit.jsonl"])
def test_a_log_that_cannot_be_opened_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="cannot be written into"):
        AuditLog(tmp_path / place)


def test_a_log_that_cannot_be_read_is_refused_and_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(*given: object, **more: object) -> None:
        raise PermissionError(13, "somebody's value")

    path = tmp_path / "audit.jsonl"
    with monkeypatch.context() as patched:
        patched.setattr("sfumato.gateway.log.audit_log.read_tail", unreadable)
        with pytest.raises(OutputError, match=r"'audit\.jsonl' cannot be opened") as refusal:
            AuditLog(path)
    assert "somebody" not in str(refusal.value)
    AuditLog(path).close()
