"""Tells by its times whether a file is unchanged since it was read. The gateway compares identities before queries."""

from __future__ import annotations

import time
from pathlib import Path

from sfumato.errors import DataError

_CLOCK_STEP = 50_000_000
"""Nanoseconds within which two writes may give a file the same time, because file systems store coarse times."""


def identity(path: Path) -> tuple[int, ...]:
    """A value that changes when a file is written or replaced: its times, its size and its inode.

    A file just written, within the clock step, could be written again at the same time, so its value never repeats.
    """
    try:
        found = path.stat()
    except OSError:
        raise DataError(f"file {path.name!r} cannot be read; was it moved or deleted?") from None
    just_written = time.time_ns() - max(found.st_mtime_ns, found.st_ctime_ns) < _CLOCK_STEP
    return (
        found.st_mtime_ns,
        found.st_ctime_ns,
        found.st_size,
        found.st_ino,
        time.monotonic_ns() if just_written else 0,
    )
