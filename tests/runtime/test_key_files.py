from __future__ import annotations

import stat
from pathlib import Path

import pytest

from sfumato.errors import OutputError, UsageError
from sfumato.runtime.key_files import read_key, write_key


def test_a_new_key_is_private_random_and_never_overwritten(tmp_path: Path) -> None:
    first, second = write_key(tmp_path / "a"), write_key(tmp_path / "b")
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    assert first.read_bytes() != second.read_bytes()
    assert len(read_key(first)) == 64
    before = first.read_bytes()
    with pytest.raises(UsageError, match="exists"):
        write_key(first)
    assert first.read_bytes() == before
    with pytest.raises(OutputError):
        write_key(tmp_path / "no" / "folder")


def test_the_line_end_of_an_editor_is_no_part_of_the_key(tmp_path: Path) -> None:
    write_key(tmp_path / "key").write_bytes(bytes(range(32, 64)) + b"\r\n")
    assert read_key(tmp_path / "key") == bytes(range(32, 64))


def test_a_key_that_is_short_or_not_there_is_refused_without_showing_it(tmp_path: Path) -> None:
    (tmp_path / "short").write_text("s3cr3tkey\n")
    with pytest.raises(UsageError, match="at least 32 bytes; got 9") as refused:
        read_key(tmp_path / "short")
    assert "s3cr3t" not in str(refused.value)
    with pytest.raises(UsageError, match="sfumato key new"):
        read_key(tmp_path / "none")


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o660])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = write_key(tmp_path / "key")
    path.chmod(mode)
    with pytest.raises(UsageError, match=r"others can read the key file 'key'.* chmod 600"):
        read_key(path)
