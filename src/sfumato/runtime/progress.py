"""Progress of long work, without an argument that every function passes on.

A loop calls `advance("counting", done, total)`; the command line and other callers install a listener for the current
context by `listening`. Without a listener, a call costs one lookup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, "int | None"], None]

_listener: ContextVar[Listener | None] = ContextVar("progress", default=None)


def advance(what: str, done: int = 0, total: int | None = None) -> None:
    """Report that `done` of `total` steps of some work are finished; the total may be unknown."""
    listener = _listener.get()
    if listener is not None:
        listener(what, done, total)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call a listener at every `advance` inside the context; listeners of outer contexts are called too.

    >>> heard = []
    >>> with listening(lambda what, done, total: heard.append((what, done, total))):
    ...     advance("counting", 1, 2)
    >>> heard
    [('counting', 1, 2)]
    """
    outer = _listener.get()

    def both(what: str, done: int, total: int | None) -> None:
        listener(what, done, total)
        if outer is not None:
            outer(what, done, total)

    token = _listener.set(both)
    try:
        yield
    finally:
        _listener.reset(token)
