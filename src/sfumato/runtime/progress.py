"""Reports the progress of long work, without an argument that every function passes on.

A loop calls `advance("counting", done, total)`; the command line and other callers install a listener for the current
context by `listening`. Without a listener, a call costs one lookup. Threads that report progress run in a copy of the
context.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

Listener = Callable[[str, int, "int | None"], None]


@dataclass
class _ListenerState:
    """The listener of a context, and the last report of `advance`, which `resume` repeats after an interruption."""

    notify: Listener
    last_report: tuple[str, int, int | None] | None = None


_listener_state: ContextVar[_ListenerState | None] = ContextVar("progress", default=None)


def advance(what: str, done: int = 0, total: int | None = None) -> None:
    """Report that `done` of `total` steps of some work are finished; the total may be unknown."""
    state = _listener_state.get()
    if state is not None:
        state.last_report = (what, done, total)
        state.notify(what, done, total)


def interrupt(what: str) -> None:
    """Report that other work, such as compiling, has to be done first; `resume` reports that it is finished."""
    state = _listener_state.get()
    if state is not None:
        _, done, total = state.last_report or (what, 0, None)
        state.notify(what, done, total)


def resume() -> None:
    """Repeat the last report of the interrupted work, whichever thread made it."""
    state = _listener_state.get()
    if state is not None and state.last_report is not None:
        state.notify(*state.last_report)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call a listener at every `advance` inside the context; listeners of outer contexts are called too.

    >>> reports = []
    >>> with listening(lambda what, done, total: reports.append((what, done, total))):
    ...     advance("counting", 1, 2)
    >>> reports
    [('counting', 1, 2)]
    """
    outer = _listener_state.get()

    def notify_all(what: str, done: int, total: int | None) -> None:
        listener(what, done, total)
        if outer is not None:
            outer.notify(what, done, total)

    token = _listener_state.set(_ListenerState(notify_all))
    try:
        yield
    finally:
        _listener_state.reset(token)
