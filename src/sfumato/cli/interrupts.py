"""Interrupts that are not lost: a signal ends the work at once, or at its next step if a library swallowed it."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

from sfumato.runtime.progress import listening

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Turns an interrupt or a request to end into KeyboardInterrupt, and remembers that it came.

    Libraries that run for long outside Python sometimes drop the exception. Every `advance` of the work therefore asks
    again, the last one just before results are moved into place.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._former: dict[signal.Signals, Any] = {}
        self._listening = listening(self._ask_again)

    @property
    def exit_code(self) -> int:
        """What a process that ended by this signal answers with."""
        return 128 + (self.received or signal.SIGINT)

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            self._former = {number: signal.signal(number, self._take) for number in _SIGNALS}
        self._listening.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.__exit__(kind, error, trace)
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def _take(self, number: int, frame: FrameType | None) -> None:
        self.received = number
        raise KeyboardInterrupt

    def _ask_again(self, what: str, done: int, total: int | None) -> None:
        if self.received is not None:
            raise KeyboardInterrupt
