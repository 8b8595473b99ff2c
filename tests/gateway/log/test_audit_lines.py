from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.gateway.log.audit_lines import LONGEST_LINE, NOTHING_BEFORE, hash_of, read_line, write_line
from tests.gateway.some_entries import ANSWERED, REFUSED

texts = st.text(st.characters(), max_size=20)


@given(texts, texts, st.lists(texts, max_size=3))
def test_a_line_is_read_as_it_was_written(who, statement, tables):
    named = replace(ANSWERED, who=who, statement=statement, tables=tuple(tables)).as_dict()
    line, own = write_line(named, NOTHING_BEFORE)
    read = read_line(line)
    assert read is not None
    assert read.hash == own
    assert read.follows(NOTHING_BEFORE)
    assert not read.follows(own)
    assert dict(read.fields) == json.loads(json.dumps(named))
    assert b"\n" not in line
    assert line.isascii()


def test_the_hash_is_of_the_hash_before_and_the_canonical_text():
    named = {"b": 1, "a": "ä"}
    line, own = write_line(named, "ff")
    body = b'{"a":"\\u00e4","b":1}'
    assert own == sha256(b"ff\n" + body).hexdigest() == hash_of("ff", body)
    assert json.loads(line) == {"hash": own, **named}


@pytest.mark.parametrize(
    "line", [b"", b"{}", b"null", b'{"hash":"' + b"0" * 64 + b'",', b'{"hash":"' + b"G" * 64 + b'","a":1}', b"\0" * 99]
)
def test_what_is_no_line(line):
    assert read_line(line) is None


def test_a_line_nested_without_end_is_no_line():
    assert read_line(b'{"hash":"' + b"0" * 64 + b'","a":' + b"[" * 200_000) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rows", -1),
        ("rows", True),
        ("rows", 1.5),
        ("milliseconds", float("nan")),
        ("who", 5),
        ("tables", ["customers"]),
        ("columns", (1,)),
        ("decision", "maybe"),
        ("reason", "why"),
    ],
)
def test_an_entry_of_another_shape_is_refused(name, value):
    with pytest.raises(UsageError):
        replace(ANSWERED, **{name: value})


def test_what_says_nothing_is_left_out():
    assert not {"login", "batch", "further"} & set(ANSWERED.as_dict())
    said = replace(ANSWERED, login="root", batch="1f", further=2).as_dict()
    assert (said["login"], said["batch"], said["further"]) == ("root", "1f", 2)


def test_a_refusal_has_a_reason():
    with pytest.raises(UsageError, match="reason"):
        replace(REFUSED, reason="")


def test_messages_do_not_repeat_what_came():
    with pytest.raises(UsageError) as caught:
        replace(ANSWERED, tables=("canary",), rows="canary")
    assert "canary" not in str(caught.value)


def test_a_long_statement_is_cut_where_it_shows():
    shown = replace(ANSWERED, statement="😀" * 60_000).as_dict()["statement"]
    assert len(shown) == 50_001
    assert shown.endswith("😀…")
    line, _ = write_line({"statement": shown}, NOTHING_BEFORE)
    assert len(line) < LONGEST_LINE


def test_a_line_has_an_end():
    with pytest.raises(UsageError, match="at most"):
        write_line({"a": "x" * LONGEST_LINE}, NOTHING_BEFORE)
