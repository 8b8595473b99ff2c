"""When to stop: an any-time search asks whether it is enough, and whoever waits for it decides.

As with progress, nothing is passed through the calls: `stopping` and `within` hold for everything inside them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sfumato.errors import ParameterError

_when: ContextVar[Callable[[], bool] | None] = ContextVar("patience", default=None)


def enough() -> bool:
    """Whether somebody wants the search to end with what it has; never, if nobody said so."""
    when = _when.get()
    return when is not None and when()


@contextmanager
def stopping(when: Callable[[], bool]) -> Iterator[None]:
    """End every any-time search inside as soon as `when()` is true, or as an outer one says so.

    >>> with stopping(lambda: True):
    ...     enough()
    True
    >>> enough()
    False
    """
    outer = _when.get()
    token = _when.set(when if outer is None else lambda: when() or outer())
    try:
        yield
    finally:
        _when.reset(token)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """End every any-time search inside after so many seconds.

    >>> with within(0):
    ...     enough()
    True
    """
    if not seconds >= 0:
        raise ParameterError(f"a time limit must be a number of seconds >= 0; got {seconds!r}.")
    end = time.monotonic() + seconds
    with stopping(lambda: time.monotonic() >= end):
        yield
