"""How far long work has come, told without a flag that threads through every call.

A loop says `advance("counting", done, total)`; whoever wants to hear it installs a listener for the current context.
With nobody listening it costs one lookup. Threads that take part run in a copy of the context.
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
    """Say that `done` of `total` steps of some work are behind us; the total may be unknown."""
    audience = _audience.get()
    if audience is not None:
        audience.heard = (what, done, total)
        audience.tell(what, done, total)


def interrupt(what: str) -> None:
    """Say that something else is done first, as far as the work has come; `resume` says that it is over."""
    audience = _audience.get()
    if audience is not None:
        _, done, total = audience.heard or (what, 0, None)
        audience.tell(what, done, total)


def resume() -> None:
    """Say again what was said of the work before or while it was interrupted, by whatever thread."""
    audience = _audience.get()
    if audience is not None and audience.heard is not None:
        audience.tell(*audience.heard)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Hear every `advance` of the work inside; whoever listens already goes on hearing it.

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
