"""How many questions of one person are under way at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sfumato.errors import ParameterError, RateError


class ConcurrentQueries:
    """At most `most` questions of each person at the same time.

    >>> under_way = AtOnce(1)
    >>> with under_way.place("ada"), under_way.place("ada"):
    ...     pass
    Traceback (most recent call last):
        ...
    sfumato.errors.RateError: too many questions at once, 1 at most; ask again when one is answered.
    >>> with under_way.place("ada"):
    ...     pass
    """

    def __init__(self, limit: int) -> None:
        self._running: dict[str, int] = {}
        self._lock = threading.Lock()
        self.allow(limit)

    def allow(self, limit: int) -> None:
        """Change the limit from now on; questions that are under way are finished."""
        if limit < 1:
            raise ParameterError(f"somebody needs at_once >= 1 to ask at all; got {limit}.")
        self._limit = limit

    @contextmanager
    def place(self, name: str) -> Iterator[None]:
        """A place for one question, which is free again when the block ends, however it ends."""
        self.take(name)
        try:
            yield
        finally:
            self.give_back(name)

    def take(self, name: str) -> None:
        """Take a place for one question, or refuse; whoever takes it gives it back."""
        with self._lock:
            number = self._running.get(name, 0)
            if number >= self._limit:
                raise RateError(f"too many questions at once, {self._limit} at most; ask again when one is answered.")
            self._running[name] = number + 1

    def give_back(self, name: str) -> None:
        """Let others have the place."""
        with self._lock:
            number = self._running.pop(name) - 1
            if number:
                self._running[name] = number
