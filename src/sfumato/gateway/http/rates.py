"""Limits how often a person may ask; `HttpApi` takes one from the person's allowance for every request."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from sfumato.errors import ParameterError, RateError

_MAX_PEOPLE = 10_000
"""People whose allowance is remembered; the least recently active one is forgotten first."""


class Rates:
    """An allowance per person (a token bucket) that refills by `per_second`, up to `burst`.

    >>> now = [0.0]
    >>> rates = Rates(per_second=1, burst=2, clock=lambda: now[0])
    >>> rates.take("ada"); rates.take("ada")
    >>> rates.take("ada")
    Traceback (most recent call last):
        ...
    sfumato.errors.RateError: too many questions in a short time; ask again in 1 second.
    >>> now[0] = 1.0
    >>> rates.take("ada")
    """

    def __init__(self, per_second: float, burst: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()
        self.set_limit(per_second, burst)

    def set_limit(self, per_second: float, burst: int) -> None:
        """Change the limits from now on; what people have used up stays used up."""
        if not per_second > 0 or burst < 1:
            raise ParameterError(f"a rate needs per_second > 0 and burst >= 1; got {per_second} and {burst}.")
        with self._lock:
            self._per_second, self._burst = per_second, burst

    def take(self, name: str) -> None:
        """Let a person ask once, or refuse."""
        now = self._clock()
        with self._lock:
            left, since = self._left.pop(name, (float(self._burst), now))
            left = min(self._burst, left + (now - since) * self._per_second)
            self._left[name] = (left - 1 if left >= 1 else left, now)
            if len(self._left) > _MAX_PEOPLE:
                self._left.popitem(last=False)
        if left < 1:
            wait = max(1, math.ceil((1 - left) / self._per_second))
            seconds = "1 second" if wait == 1 else f"{wait} seconds"
            raise RateError(f"too many questions in a short time; ask again in {seconds}.", wait)
