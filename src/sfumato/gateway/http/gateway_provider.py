"""Provides the HTTP interface with the gateway that is in force and with the limits for callers.

`LiveSetup` is a provider that follows its files; `FixedGateway` always provides the same gateway.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol

from sfumato.gateway.http.allowances import Allowances

if TYPE_CHECKING:
    from sfumato.gateway.gateway import Gateway


class GatewayProvider(Protocol):
    """Provides the gateway for every request; it may change from request to request."""

    @property
    def allowances(self) -> Allowances:
        """The limits for callers."""

    @property
    def gateway(self) -> Gateway:
        """The gateway that is in force; requests get it through `use`."""

    @property
    def problem(self) -> str:
        """Why files on disk are not in force, in words that any caller may read; empty if they are."""

    def use(self) -> AbstractContextManager[Gateway]:
        """The gateway for one request; it stays open until the block ends, even if another comes into force."""


class FixedGateway:
    """The same gateway for every request."""

    def __init__(self, gateway: Gateway, allowances: Allowances | None = None) -> None:
        self.gateway = gateway
        self.allowances = allowances or Allowances()
        self.problem = ""

    @contextmanager
    def use(self) -> Iterator[Gateway]:
        """The gateway."""
        yield self.gateway
