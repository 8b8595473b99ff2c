"""How far long work has come, told without a flag that threads through every call.

A loop says `advance("counting", done, total)`; whoever wants to hear it installs a listener for the current context.
With nobody listening it costs one lookup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, "int | None"], None]

_listener: ContextVar[Listener | None] = ContextVar("progress", default=None)


def advance(what: str, done: int = 0, total: int | None = None) -> None:
    """Say that `done` of `total` steps of some work are behind us; the total may be unknown."""
    listener = _listener.get()
    if listener is not None:
        listener(what, done, total)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Hear every `advance` of the work inside; whoever listens already goes on hearing it.

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
