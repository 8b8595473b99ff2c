"""Limits on what callers of the HTTP interface may do.

`live_setup` changes them when the setup file changes; `HttpApi` applies them to every request.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sfumato.gateway.http.concurrent_queries import ConcurrentQueries
from sfumato.gateway.http.rates import Rates

if TYPE_CHECKING:
    from sfumato.gateway.setup.setup import LimitsSection


@dataclass
class Allowances:
    """How often a person may ask, how many queries at once, and how long a request may take to arrive.

    The limits can change while the server runs; the use of each person is kept.
    """

    rates: Rates = field(default_factory=lambda: Rates(per_second=1000, burst=2000))
    at_once: ConcurrentQueries = field(default_factory=lambda: ConcurrentQueries(4))
    header_seconds: float = 10.0
    body_seconds: float = 10.0

    def change(self, given: LimitsSection) -> None:
        """Apply the limits of a setup from now on."""
        self.rates.allow(given.per_second, given.burst)
        self.at_once.allow(given.at_once)
        self.header_seconds, self.body_seconds = given.header_seconds, given.body_seconds
