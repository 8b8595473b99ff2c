from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sfumato.errors import DataError
from sfumato.runtime.file_identity import identity

LONG_AGO = 1_000_000_000


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that is written here was written a while ago."""
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + LONG_AGO)


@pytest.mark.usefixtures("later")
def test_a_file_that_is_written_or_replaced_is_another(tmp_path: Path) -> None:
    path, other = tmp_path / "a.csv", tmp_path / "other.csv"
    path.write_text("a\n1\n", encoding="utf-8")
    first = identity(path)
    assert identity(path) == first
    path.write_text("a\n22\n", encoding="utf-8")
    second = identity(path)
    other.write_text("a\n33\n", encoding="utf-8")
    times = path.stat()
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    other.replace(path)
    assert len({first, second, identity(path)}) == 3
    path.unlink()
    with pytest.raises(DataError, match=r"'a\.csv'"):
        identity(path)


def test_a_file_written_just_now_is_never_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    seen = set()
    for number in range(5):
        path.write_text(f"a\n{number}\n", encoding="utf-8")
        times = path.stat()
        os.utime(path, ns=(times.st_atime_ns, LONG_AGO))
        seen.add(identity(path))
    assert len(seen) == 5


def test_the_past_of_a_file_can_not_be_made_up(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n", encoding="utf-8")
    os.utime(path, ns=(LONG_AGO, LONG_AGO))
    time.sleep(0.06)
    first = identity(path)
    assert identity(path) == first
    path.write_text("a\n2\n", encoding="utf-8")
    os.utime(path, ns=(LONG_AGO, LONG_AGO))
    assert identity(path) != first
