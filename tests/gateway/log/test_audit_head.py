from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import replace
from pathlib import Path

import pytest

from sfumato.errors import DataError, OutputError
from sfumato.gateway.log.audit_head import AuditHead
from sfumato.gateway.log.audit_log import AuditLog
from tests.gateway.some_entries import ANSWERED, small_log

KEY = bytes(range(32))


def test_the_head_is_the_last_entry(tmp_path: Path) -> None:
    path = small_log(tmp_path)
    first, *_, last = map(json.loads, path.read_text().splitlines())
    assert AuditHead.read(path) == AuditHead(first["log"], last["number"], last["hash"], last["time"])


def test_the_head_is_read_while_the_log_is_written(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    with AuditLog(path) as log:
        assert AuditHead.read(path).hash == log.head.hash
        for _ in range(3):
            assert log.append(ANSWERED).hash == AuditHead.read(path).hash
        with path.open("ab") as stream:
            stream.write(b'{"hash":"half of a line')
        assert AuditHead.read(path).hash == log.head.hash


def test_the_head_after_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    with AuditLog(path) as log:
        before = AuditHead.read(path)
        log.append(ANSWERED)
        log.rotate()
        after = AuditHead.read(path)
    assert (after.log, after.number, after.hash) == (before.log, before.number + 3, log.head.hash)
    for head in (before, after):
        assert AuditLog.verify(path, head=head).holds


def test_a_cut_end_shows(tmp_path: Path) -> None:
    path = small_log(tmp_path)
    head = AuditHead.read(path)
    assert AuditLog.verify(path, head=head).holds
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    found = AuditLog.verify(path, head=head)
    assert not found.holds
    assert "its end was cut" in found.why


@pytest.mark.parametrize("change", [{"number": 3}, {"time": "2020"}, {"hash": "0" * 64}])
def test_a_head_that_is_not_what_was_written_is_not_found(tmp_path: Path, change) -> None:
    path = small_log(tmp_path)
    assert not AuditLog.verify(path, head=replace(AuditHead.read(path), **change)).holds


def test_a_signature_is_of_everything_and_of_a_head_alone(tmp_path: Path) -> None:
    head = AuditHead.read(small_log(tmp_path)).signed(KEY)
    assert head.is_signed_with(KEY)
    assert not head.is_signed_with(KEY[::-1])
    for change in ({"log": "x"}, {"number": 3}, {"hash": "x"}, {"time": "x"}, {"signature": ""}, {"signature": "é"}):
        assert not replace(head, **change).is_signed_with(KEY)
    said = json.dumps([head.log, head.number, head.hash, head.time], separators=(",", ":")).encode()
    assert head.signature != hmac.new(KEY, said, hashlib.sha256).hexdigest()


@pytest.mark.parametrize("given", ["", "\ud800", "é", "?" * 64])
def test_any_text_may_stand_where_a_signature_should(given: str) -> None:
    assert not AuditHead("log", 7, "1f", "2026-11-16T10:00:00.000000Z", given).is_signed_with(KEY)


def test_a_head_is_kept_in_a_file(tmp_path: Path) -> None:
    head = AuditHead.read(small_log(tmp_path))
    path = tmp_path / "head.json"
    for one in (head, head.signed(KEY)):
        assert AuditHead.load(one.write(path)) == one
    with pytest.raises(OutputError, match="cannot be written into"):
        head.write(tmp_path / "nowhere" / "head.json")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"log": 1}', '"x"', "[" * 100_000])
def test_what_is_no_head(tmp_path: Path, text: str) -> None:
    path = tmp_path / "head.json"
    path.write_text(text)
    with pytest.raises(DataError, match=r"'head\.json' is not the head"):
        AuditHead.load(path)
    path.write_text(json.dumps({"log": "x", "number": "1", "hash": "x", "time": "x"}))
    with pytest.raises(DataError, match=r"'head\.json' is not the head"):
        AuditHead.load(path)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"there is no audit log 'audit\.jsonl'"):
        AuditHead.read(tmp_path / "audit.jsonl")
    with pytest.raises(DataError, match=r"there is no head file 'head\.json'"):
        AuditHead.load(tmp_path / "head.json")
    with pytest.raises(DataError, match="is it a file that you may read"):
        AuditHead.load(tmp_path)
