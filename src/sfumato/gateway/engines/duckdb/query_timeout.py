"""Interrupts a query that takes too long; a `Worker` has one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_REPEAT_SECONDS = 0.02
"""Pause between two interrupts of the same query."""


class QueryTimeout:
    """A thread that calls `interrupt` when the time limit has passed, and again until the query ends.

    It repeats because DuckDB forgets an interrupt when it goes from one step of a query to the next. When a query ends,
    the thread is not woken; it looks at the new deadline when it wakes up by itself. Under load it wakes once per time
    limit, and setting a limit costs almost nothing.
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
        """Interrupt the block if it runs for longer than this; never after it has ended."""
        with self._changed:
            self._deadline = time.monotonic() + seconds
            # The thread is woken only if it would otherwise sleep beyond the new deadline.
            if self._deadline < self._wakes_at:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._deadline = None

    def stop(self) -> None:
        """Stop interrupting; the thread has ended when this returns."""
        with self._changed:
            self._running = False
            self._changed.notify()
        self._thread.join()

    def _watch(self) -> None:
        """The loop of the thread; `_wakes_at` is when it will look at the deadline next."""
        with self._changed:
            while self._running:
                left = None if self._deadline is None else self._deadline - time.monotonic()
                if left is not None and left <= 0:
                    self._interrupt()
                    left = _REPEAT_SECONDS
                self._wakes_at = float("inf") if left is None else time.monotonic() + left
                self._changed.wait(left)
