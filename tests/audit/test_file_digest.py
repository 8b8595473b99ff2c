from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.audit.file_digest import FileDigest
from sfumato.errors import DataError

# RFC 4231, test case 1: HMAC-SHA-256 with a key of twenty bytes 0x0b over "Hi There"
RFC_4231 = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
# FIPS 180-2, appendix B.1: SHA-256 of "abc"
FIPS_180 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_it_is_the_standard_hmac_or_hash(tmp_path: Path) -> None:
    (tmp_path / "hi").write_bytes(b"Hi There")
    (tmp_path / "abc").write_bytes(b"abc")
    assert FileDigest(b"\x0b" * 20).of(tmp_path / "hi") == {"method": "hmac-sha256", "value": RFC_4231}
    assert FileDigest().of(tmp_path / "abc") == {"method": "sha256", "value": FIPS_180}


def test_it_shows_no_key_and_says_what_cannot_be_read(tmp_path: Path) -> None:
    assert repr(FileDigest(b"secret")) == "FileDigest()"
    with pytest.raises(DataError, match="'none' cannot be read"):
        FileDigest().of(tmp_path / "none")
