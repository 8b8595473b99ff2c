from __future__ import annotations

import base64
import hashlib
import hmac
import stat
from pathlib import Path

import pytest

from sfumato.data.pseudonyms import Pseudonyms, write_key
from sfumato.errors import OutputError, ParameterError, UsageError

KEY = bytes(range(32))


def test_it_is_hmac_sha256_shortened() -> None:
    expected = base64.b32encode(hmac.new(KEY, b"Alice", hashlib.sha256).digest()).decode()[:20].lower()
    assert Pseudonyms(KEY)("Alice") == expected


def test_equal_identifiers_agree_across_tables_and_keys_differ(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(KEY + b"\n")
    one, two = Pseudonyms(KEY), Pseudonyms.from_file(tmp_path / "key")
    assert one("Ödön") == two("Ödön")
    assert one("Ödön") != Pseudonyms(KEY[::-1])("Ödön")
    assert one("a") != one("b")


def test_a_short_key_is_refused_without_showing_it() -> None:
    with pytest.raises(ParameterError, match="at least 32 bytes; got 9") as refused:
        Pseudonyms(b"s3cr3tkey")
    assert "s3cr3t" not in str(refused.value)
    assert repr(Pseudonyms(KEY)) == "Pseudonyms()"


def test_a_key_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="sfumato key new"):
        Pseudonyms.from_file(tmp_path / "none")


def test_a_new_key_is_private_random_and_never_overwritten(tmp_path: Path) -> None:
    first, second = write_key(tmp_path / "a"), write_key(tmp_path / "b")
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    assert first.read_bytes() != second.read_bytes()
    assert len(Pseudonyms.from_file(first)("x")) == 20
    before = first.read_bytes()
    with pytest.raises(UsageError, match="exists"):
        write_key(first)
    assert first.read_bytes() == before
    with pytest.raises(OutputError):
        write_key(tmp_path / "no" / "folder")
