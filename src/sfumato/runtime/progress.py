"""Reports the progress of long work, without an argument that every function passes on.

A loop calls `advance("counting", done, total)`; the command line and other callers install a listener for the current
context by `listening`. Without a listener, a call costs one lookup. Threads that report progress run in a copy of the
context. Reports inside `step` begin with the name of the step.

Work that cannot call `advance`, such as a compiled loop or a query of a database, is watched by another thread:
`watched` takes a function that says how far the work is, for example from the array that the loop fills. The loop
itself does nothing for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INTERVAL = 0.2
"""Seconds between two readings of watched work."""

_FEW = 5000
"""A loop over fewer records is over before it could be watched."""

Listener = Callable[[str, int, "int | None"], None]


@dataclass
class _ListenerState:
    """The listener of a context, and the last report of `advance`, which `resume` repeats after an interruption."""

    notify: Listener
    last_report: tuple[str, int, int | None] | None = None
    step: str = ""


_listener_state: ContextVar[_ListenerState | None] = ContextVar("progress", default=None)


def advance(what: str, done: int = 0, total: int | None = None) -> None:
    """Report that `done` of `total` steps of some work are finished; the total may be unknown."""
    state = _listener_state.get()
    if state is not None:
        state.last_report = (f"{state.step}: {what}" if state.step else what, done, total)
        state.notify(*state.last_report)


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
def step(name: str, number: int, steps: int) -> Iterator[None]:
    """Report a step of several: every report inside begins with its name and its number.

    >>> with listening(lambda what, done, total: print(what, done, total)), step("deciding", 2, 6):
    ...     advance("cutting groups", 1, 10)
    deciding (2 of 6) 0 None
    deciding (2 of 6): cutting groups 1 10
    """
    state = _listener_state.get()
    if state is None:
        yield
        return
    advance(f"{name} ({number} of {steps})")
    outer, state.step = state.step, f"{name} ({number} of {steps})"
    try:
        yield
    finally:
        state.step = outer


@contextmanager
def watched(what: str, total: int, done: Callable[[], int]) -> Iterator[None]:
    """Report how far the code inside is, by calling `done` from time to time in another thread.

    A negative number means that it is not known yet. Without a listener there is no thread.
    """
    if _listener_state.get() is None:
        yield
        return
    over = Event()

    def report() -> None:
        with suppress(KeyboardInterrupt):  # a listener ends the work by it; the main thread gets it, too
            while not over.wait(INTERVAL):
                if (known := done()) >= 0:
                    advance(what, min(known, total), total)

    thread = Thread(target=copy_context().run, args=(report,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def labelling(labels: NDArray[np.int32]) -> Iterator[None]:
    """Watch a loop that writes the group of every record, which is -1 before; nothing is watched for few records."""
    if len(labels) < _FEW:
        yield
        return
    with watched("grouping records", len(labels), lambda: int((labels >= 0).sum())):
        yield


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

    token = _listener_state.set(_ListenerState(notify_all, step="" if outer is None else outer.step))
    try:
        yield
    finally:
        _listener_state.reset(token)
