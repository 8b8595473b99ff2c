"""Rings when a question takes too long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_REPEAT_SECONDS = 0.02


class QueryTimeout:
    """One thread that calls `ring` when time is up, and again until it is turned off.

    Again, because an engine forgets that it was interrupted when it goes from one step to the next. The thread is left
    asleep when a question ends, and looks at the clock anew when it wakes up: under load it wakes once per limit, and
    setting it costs a question next to nothing.
    """

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt
        self._changed = threading.Condition()
        self._deadline: float | None = None
        self._wakes_at = float("inf")
        self._running = True
        self._thread = threading.Thread(target=self._watch, name="query-timeout", daemon=True)
        self._thread.start()

    @contextmanager
    def limit_to(self, seconds: float) -> Iterator[None]:
        """Rings while what is inside runs for longer than this; never after it has ended."""
        with self._changed:
            self._deadline = time.monotonic() + seconds
            if self._deadline < self._wakes_at:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._deadline = None

    def stop(self) -> None:
        """It rings no more; the thread has ended when this returns."""
        with self._changed:
            self._running = False
            self._changed.notify()
        self._thread.join()

    def _watch(self) -> None:
        with self._changed:
            while self._running:
                left = None if self._deadline is None else self._deadline - time.monotonic()
                if left is not None and left <= 0:
                    self._interrupt()
                    left = _REPEAT_SECONDS
                self._wakes_at = float("inf") if left is None else time.monotonic() + left
                self._changed.wait(left)
