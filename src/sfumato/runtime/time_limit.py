"""Time limits of any-time searches, without an argument that every function passes on.

A search calls `enough` and returns its best result so far if that is true. Publication and other callers set the
condition for everything inside a context by `stopping` or `within`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sfumato.errors import ParameterError

_stop_condition: ContextVar[Callable[[], bool] | None] = ContextVar("stop_condition", default=None)


def enough() -> bool:
    """Whether the search should end with its best result so far; false outside `stopping` and `within`."""
    when = _stop_condition.get()
    return when is not None and when()


def is_limited() -> bool:
    """Whether there is a condition that ends searches, so that one may go on until it is true."""
    return _stop_condition.get() is not None


@contextmanager
def stopping(when: Callable[[], bool]) -> Iterator[None]:
    """End every any-time search inside the context as soon as `when()` or an outer condition is true.

    >>> with stopping(lambda: True):
    ...     enough()
    True
    >>> enough()
    False
    """
    outer = _stop_condition.get()
    token = _stop_condition.set(when if outer is None else lambda: when() or outer())
    try:
        yield
    finally:
        _stop_condition.reset(token)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """End every any-time search inside the context after a number of seconds.

    >>> with within(0):
    ...     enough()
    True
    """
    if not seconds >= 0:
        raise ParameterError(f"a time limit must be a number of seconds >= 0; got {seconds!r}.")
    end = time.monotonic() + seconds
    with stopping(lambda: time.monotonic() >= end):
        yield
