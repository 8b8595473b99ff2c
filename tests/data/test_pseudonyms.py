from __future__ import annotations

import base64
import hashlib
import hmac
from pathlib import Path

import pytest

from sfumato.data.pseudonyms import Pseudonyms
from sfumato.errors import ParameterError, UsageError

KEY = bytes(range(32))


def test_it_is_hmac_sha256_shortened() -> None:
    expected = base64.b32encode(hmac.new(KEY, b"Alice", hashlib.sha256).digest()).decode()[:20].lower()
    assert Pseudonyms(KEY)("Alice") == expected


def test_equal_identifiers_agree_across_tables_and_keys_differ(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(KEY + b"\n")
    (tmp_path / "key").chmod(0o600)
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
