"""Keeps callers from filling the log: a few entries a second each, and a count of those that were left out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class _Second:
    """What was written and left out since a moment."""

    since: float
    written: int = 0
    left_out: int = 0


class FewEntries:
    """Says of every refusal whether it is worth an entry of its own.

    >>> now = [0.0]
    >>> few = FewEntries(2, clock=lambda: now[0])
    >>> few.take(""), few.take(""), few.take(""), few.take("")
    (0, 0, None, None)
    >>> now[0] = 1.0
    >>> few.take("")
    2
    """

    def __init__(self, per_second: int = 5, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._clock = clock
        self._callers: dict[str, _Second] = {}
        self._guard = threading.Lock()

    def take(self, name: str) -> int | None:
        """How many entries of this caller were left out before this one; None where this one is left out too."""
        now = self._clock()
        with self._guard:
            second = self._callers.setdefault(name, _Second(now))
            if now - second.since >= 1:
                second.since, second.written = now, 0
            if second.written >= self._per_second:
                second.left_out += 1
                return None
            second.written += 1
            left_out, second.left_out = second.left_out, 0
            return left_out
