"""Whether a file is still the one that was read: cheaply by its times, or for sure by its bytes."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

from sfumato.errors import DataError

_TICK = 50_000_000
"""Nanoseconds within which a file may be written twice without its time telling; clocks of file systems are coarse."""


def identity(path: Path) -> tuple[int, ...]:
    """What changes when a file is written or replaced: its times, its size and its number.

    Of a file that was written just now nobody can tell whether it is written again, so it is never the same.
    """
    try:
        found = path.stat()
    except OSError:
        raise DataError(f"file {path.name!r} cannot be read; is it where it was?") from None
    young = time.time_ns() - max(found.st_mtime_ns, found.st_ctime_ns) < _TICK
    return (
        found.st_mtime_ns,
        found.st_ctime_ns,
        found.st_size,
        found.st_ino,
        time.monotonic_ns() if young else 0,
    )


def sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
