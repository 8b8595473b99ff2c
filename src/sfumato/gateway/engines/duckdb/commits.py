"""How often this process has changed private data, whichever: as long as that stays the same, nothing has changed.

A database that this process has open for writing is locked for all others. So who remembers what they read, and this
number from before they read it, need not read again until the number has grown.
"""

from __future__ import annotations

import threading

_guard = threading.Lock()
_number = 0


def record_commit() -> None:
    """Something was changed, or may have been; called after it was, and before whoever changed it goes on."""
    global _number  # noqa: PLW0603 - one number for the whole process is what it is about
    with _guard:
        _number += 1


def commit_count() -> int:
    """How often."""
    return _number
