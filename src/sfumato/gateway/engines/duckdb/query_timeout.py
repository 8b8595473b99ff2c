"""Rings when a question takes too long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_AGAIN = 0.02


class Alarm:
    """One thread that calls `ring` when time is up, and again until it is turned off.

    Again, because an engine forgets that it was interrupted when it goes from one step to the next. The thread is left
    asleep when a question ends, and looks at the clock anew when it wakes up: under load it wakes once per limit, and
    setting it costs a question next to nothing.
    """

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._changed = threading.Condition()
        self._due: float | None = None
        self._wakes = float("inf")
        self._on = True
        self._thread = threading.Thread(target=self._watch, name="alarm", daemon=True)
        self._thread.start()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Rings while what is inside runs for longer than this; never after it has ended."""
        with self._changed:
            self._due = time.monotonic() + seconds
            if self._due < self._wakes:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._due = None

    def stop(self) -> None:
        """It rings no more; the thread has ended when this returns."""
        with self._changed:
            self._on = False
            self._changed.notify()
        self._thread.join()

    def _watch(self) -> None:
        with self._changed:
            while self._on:
                left = None if self._due is None else self._due - time.monotonic()
                if left is not None and left <= 0:
                    self._ring()
                    left = _AGAIN
                self._wakes = float("inf") if left is None else time.monotonic() + left
                self._changed.wait(left)
