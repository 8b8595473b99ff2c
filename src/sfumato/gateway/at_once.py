"""How many questions of one person are under way at once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from sfumato.errors import ParameterError, RateError


class AtOnce:
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

    def __init__(self, most: int) -> None:
        self._under_way: Counter[str] = Counter()
        self._guard = threading.Lock()
        self.allow(most)

    def allow(self, most: int) -> None:
        """Change the limit from now on; questions that are under way are finished."""
        if most < 1:
            raise ParameterError(f"somebody needs at_once >= 1 to ask at all; got {most}.")
        self._most = most

    @contextmanager
    def place(self, name: str) -> Iterator[None]:
        """A place for one question, which is free again when the block ends, however it ends."""
        with self._guard:
            if self._under_way[name] >= self._most:
                raise RateError(f"too many questions at once, {self._most} at most; ask again when one is answered.")
            self._under_way[name] += 1
        try:
            yield
        finally:
            with self._guard:
                self._under_way[name] -= 1
                if not self._under_way[name]:
                    del self._under_way[name]
