"""Whether a file is unchanged since it was read: by its times, which is fast, or by its bytes, which is certain."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

from sfumato.errors import DataError

_TICK = 50_000_000
"""Nanoseconds within which two writes may give a file the same time, since clocks of file systems are coarse."""


def identity(path: Path) -> tuple[int, ...]:
    """A value that changes when a file is written or replaced: its times, its size and its inode.

    A file that was written within the last tick could be written again without a change, so its value never repeats.
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
    """The SHA-256 of a file's bytes, read in chunks."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
