"""Limits how many queries of one person run or wait at the same time; `HttpApi` counts every request with it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sfumato.errors import ParameterError, RateError


class ConcurrentQueries:
    """At most `limit` queries of each person at the same time.

    >>> limit = ConcurrentQueries(1)
    >>> with limit.slot("ada"), limit.slot("ada"):
    ...     pass
    Traceback (most recent call last):
        ...
    sfumato.errors.RateError: too many questions at once, 1 at most; ask again when one is answered.
    >>> with limit.slot("ada"):
    ...     pass
    """

    def __init__(self, limit: int) -> None:
        self._running: dict[str, int] = {}
        self._lock = threading.Lock()
        self.set_limit(limit)

    def set_limit(self, limit: int) -> None:
        """Change the limit from now on; running queries are finished."""
        if limit < 1:
            raise ParameterError(f"at_once must be at least 1; got {limit}.")
        self._limit = limit

    @contextmanager
    def slot(self, name: str) -> Iterator[None]:
        """A slot for one query, given back when the block ends."""
        self.take(name)
        try:
            yield
        finally:
            self.give_back(name)

    def take(self, name: str) -> None:
        """Take a slot for one query, or refuse; the caller gives it back."""
        with self._lock:
            number = self._running.get(name, 0)
            if number >= self._limit:
                raise RateError(f"too many questions at once, {self._limit} at most; ask again when one is answered.")
            self._running[name] = number + 1

    def give_back(self, name: str) -> None:
        """Give a slot back."""
        with self._lock:
            number = self._running.pop(name) - 1
            if number:
                self._running[name] = number
