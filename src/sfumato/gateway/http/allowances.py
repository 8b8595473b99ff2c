"""Limits on what callers of the HTTP interface may do.

`live_setup` changes them when the setup file changes; `HttpApi` applies them to every request.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sfumato.gateway.http.concurrent_queries import ConcurrentQueries
from sfumato.gateway.http.rates import Rates


@dataclass
class Allowances:
    """How often a person may ask, how many queries at once, and how long a request may take to arrive.

    The limits can change while the server runs; the use of each person is kept.
    """

    rates: Rates = field(default_factory=lambda: Rates(per_second=1000, burst=2000))
    at_once: ConcurrentQueries = field(default_factory=lambda: ConcurrentQueries(4))
    header_seconds: float = 10.0
    body_seconds: float = 10.0

    def set_limits(
        self, *, per_second: float, burst: int, at_once: int, header_seconds: float, body_seconds: float
    ) -> None:
        """Change the limits from now on."""
        self.rates.set_limit(per_second, burst)
        self.at_once.set_limit(at_once)
        self.header_seconds, self.body_seconds = header_seconds, body_seconds
