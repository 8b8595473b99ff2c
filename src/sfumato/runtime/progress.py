"""Progress of long work, without an argument that every function passes on.

A loop calls `advance("counting", done, total)`; the command line and other callers install a listener for the current
context by `listening`. Without a listener, a call costs one lookup. Threads that take part run in a copy of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

Listener = Callable[[str, int, "int | None"], None]


@dataclass
class _Audience:
    """Who listens in a context, and what they heard last of the work that `interrupt` interrupts."""

    tell: Listener
    heard: tuple[str, int, int | None] | None = None


_audience: ContextVar[_Audience | None] = ContextVar("progress", default=None)


def advance(what: str, done: int = 0, total: int | None = None) -> None:
    """Report that `done` of `total` steps of some work are finished; the total may be unknown."""
    audience = _audience.get()
    if audience is not None:
        audience.heard = (what, done, total)
        audience.tell(what, done, total)


def interrupt(what: str) -> None:
    """Report that other work, such as compiling, comes first; `resume` reports that it is over."""
    audience = _audience.get()
    if audience is not None:
        _, done, total = audience.heard or (what, 0, None)
        audience.tell(what, done, total)


def resume() -> None:
    """Report the interrupted work again as it was reported last, by whichever thread."""
    audience = _audience.get()
    if audience is not None and audience.heard is not None:
        audience.tell(*audience.heard)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call a listener at every `advance` inside the context; listeners of outer contexts are called too.

    >>> heard = []
    >>> with listening(lambda what, done, total: heard.append((what, done, total))):
    ...     advance("counting", 1, 2)
    >>> heard
    [('counting', 1, 2)]
    """
    outer = _audience.get()

    def both(what: str, done: int, total: int | None) -> None:
        listener(what, done, total)
        if outer is not None:
            outer.tell(what, done, total)

    token = _audience.set(_Audience(both))
    try:
        yield
    finally:
        _audience.reset(token)
