"""Limits the log entries of refusals, so that callers cannot fill the log: a few per second each; the rest are counted.

The HTTP API asks it before it logs a refusal.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class _Window:
    """What was written and omitted for one caller since a point in time."""

    since: float
    written: int = 0
    omitted: int = 0


class EntryLimit:
    """Decides for every refusal whether it gets an entry of its own.

    >>> now = [0.0]
    >>> limit = EntryLimit(2, clock=lambda: now[0])
    >>> limit.admit(""), limit.admit(""), limit.admit(""), limit.admit("")
    (0, 0, None, None)
    >>> now[0] = 1.0
    >>> limit.admit("")
    2
    """

    def __init__(self, per_second: int = 5, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._clock = clock
        self._callers: dict[str, _Window] = {}
        self._lock = threading.Lock()

    def admit(self, name: str) -> int | None:
        """How many entries of this caller were omitted before this one; None if this one is omitted too."""
        now = self._clock()
        with self._lock:
            window = self._callers.setdefault(name, _Window(now))
            if now - window.since >= 1:
                window.since, window.written = now, 0
            if window.written >= self._per_second:
                window.omitted += 1
                return None
            window.written += 1
            omitted, window.omitted = window.omitted, 0
            return omitted
