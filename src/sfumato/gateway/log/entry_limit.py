"""Keeps callers from filling the log: a few entries per second each, and a count of those that were omitted."""

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
            second = self._callers.setdefault(name, _Window(now))
            if now - second.since >= 1:
                second.since, second.written = now, 0
            if second.written >= self._per_second:
                second.omitted += 1
                return None
            second.written += 1
            omitted, second.omitted = second.omitted, 0
            return omitted
