from __future__ import annotations

import pytest

from sfumato.errors import DataError
from sfumato.gateway.log import audit_files
from sfumato.gateway.log.audit_files import earlier_files, first_line, move_torn_end, next_earlier_file, read_tail
from tests.gateway.some_entries import small_log


def test_closed_files_are_numbered_from_the_oldest(tmp_path):
    path = tmp_path / "audit.log.jsonl"
    assert next_earlier_file(path).name == "audit.log.000001.jsonl"
    for name in ("audit.log.000002.jsonl", "audit.log.000010.jsonl", "audit.log.1000000.jsonl", "audit.log.x.jsonl"):
        (tmp_path / name).touch()
    (tmp_path / "other.000003.jsonl").touch()
    assert [file.name.split(".")[2] for file in earlier_files(path)] == ["000002", "000010", "1000000"]
    assert next_earlier_file(path).name == "audit.log.1000001.jsonl"


def test_a_whole_end(tmp_path):
    path = small_log(tmp_path)
    tail = read_tail(path)
    assert (tail.torn_end, tail.lacks_line_break, tail.end) == (b"", False, path.stat().st_size)
    assert tail.last is not None
    assert tail.last.fields["number"] == 4
    assert first_line(path).kind == "began"


@pytest.mark.parametrize("kept", [0, 1, 9, 80, 200])
def test_every_torn_end_is_found(tmp_path, kept):
    path = small_log(tmp_path)
    whole = path.read_bytes()
    before = whole.rindex(b"\n", 0, len(whole) - 1) + 1
    path.write_bytes(whole[: before + kept])
    tail = read_tail(path)
    assert tail.last.fields["number"] == 3
    assert tail.torn_end == whole[before : before + kept]
    assert tail.end == before


def test_a_line_that_only_lacks_its_break_is_whole(tmp_path):
    path = small_log(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    tail = read_tail(path)
    assert (tail.last.fields["number"], tail.lacks_line_break, tail.torn_end) == (4, True, b"")


def test_what_a_killed_writer_does_not_leave_behind_is_refused(tmp_path):
    path = small_log(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3] + lines[4:]))
    with pytest.raises(DataError, match="mend=True"):
        read_tail(path)
    tail = read_tail(path, mend=True)
    assert tail.last.fields["number"] == 2
    assert tail.torn_end == lines[4]


def test_a_file_that_is_no_log_is_refused(tmp_path):
    path = tmp_path / "audit.jsonl"
    path.write_text("a\nb\nc\n")
    with pytest.raises(DataError, match="no line of an audit log"):
        read_tail(path)


def test_only_the_end_is_read(tmp_path, monkeypatch):
    path = small_log(tmp_path, 30)
    monkeypatch.setattr(audit_files, "_TAIL_BYTES", 2_000)
    assert read_tail(path).last.fields["number"] == 30
    path.write_bytes(path.read_bytes() + b"\0" * 3_000)
    with pytest.raises(DataError, match="no line of an audit log near its end"):
        read_tail(path)


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_the_first_line_is_the_end_of_a_log_with_no_other(tmp_path, monkeypatch, more):
    path = small_log(tmp_path)
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    monkeypatch.setattr(audit_files, "_TAIL_BYTES", path.stat().st_size + more)
    if more < 0:
        with pytest.raises(DataError, match="no line of an audit log near its end"):
            read_tail(path)
    else:
        assert read_tail(path).last.kind == "began"


def test_what_is_set_aside_is_kept(tmp_path):
    path = small_log(tmp_path)
    whole = path.read_bytes()
    for torn in (b"abc", b"def\n"):
        path.write_bytes(whole + torn)
        assert move_torn_end(path, torn)["bytes"] == len(torn)
        assert path.read_bytes() == whole
    assert (tmp_path / "audit.jsonl.torn").read_bytes() == b"abc\ndef\n"
