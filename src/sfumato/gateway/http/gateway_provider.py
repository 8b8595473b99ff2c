"""What a door serves: the gateway that is in force, and what callers may do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol

from sfumato.gateway.http.allowances import Allowances

if TYPE_CHECKING:
    from sfumato.gateway.gateway import Gateway


class GatewayProvider(Protocol):
    """Hands out the gateway for every request, which may be another one from request to request."""

    @property
    def allowances(self) -> Allowances:
        """What callers may do."""

    @property
    def gateway(self) -> Gateway:
        """The gateway that is in force; to ask it something, `use` it."""

    @property
    def problem(self) -> str:
        """What keeps files on disk from being in force, in words for everybody; empty where nothing does."""

    def use(self) -> AbstractContextManager[Gateway]:
        """The gateway for one request; it stays open until the block ends, also where another one comes into force."""


class OneGateway:
    """The same gateway for every request."""

    def __init__(self, gateway: Gateway, allowances: Allowances | None = None) -> None:
        self.gateway = gateway
        self.allowances = allowances or Allowances()
        self.problem = ""

    @contextmanager
    def use(self) -> Iterator[Gateway]:
        """The gateway."""
        yield self.gateway
