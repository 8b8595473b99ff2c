"""A counter of the changes that this process made to private data: while it stays the same, nothing has changed.

A database that this process has open for writing is locked for all other processes. So a cached value is valid while
the counter is what it was before the value was read.
"""

from __future__ import annotations

import threading

_guard = threading.Lock()
_number = 0


def record_commit() -> None:
    """Count a change, or an attempt; called after the change and before its caller continues."""
    global _number  # noqa: PLW0603 - one counter for the whole process
    with _guard:
        _number += 1


def commit_count() -> int:
    """The number of changes so far."""
    return _number
