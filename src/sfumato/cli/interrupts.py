"""Handles SIGINT, SIGTERM and SIGHUP, so that an interrupt ends a command even if a library swallows it."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

from sfumato.runtime.progress import listening

_SIGNALS = [one for name in ("SIGINT", "SIGTERM", "SIGHUP") if (one := getattr(signal, name, None)) is not None]
"""Windows has no SIGHUP, which says that the terminal was closed."""


class Interrupts:
    """Raises KeyboardInterrupt on a signal, and again at the next `advance` of the work.

    Libraries that run for long outside Python sometimes drop the exception. The second check makes sure that the work
    stops; the last `advance` comes just before results are moved into place.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._previous: dict[signal.Signals, Any] = {}
        self._listening = listening(self._raise_if_received)

    @property
    def exit_code(self) -> int:
        """The exit code for a process that was ended by this signal."""
        return 128 + (self.received or signal.SIGINT)

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            self._previous = {number: signal.signal(number, self._receive) for number in _SIGNALS}
        self._listening.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.__exit__(kind, error, trace)
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.received = number
        raise KeyboardInterrupt

    def _raise_if_received(self, what: str, done: int, total: int | None) -> None:
        if self.received is not None:
            raise KeyboardInterrupt
