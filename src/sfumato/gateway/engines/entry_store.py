"""`EntryStore`: where a database keeps the ledger of answered aggregates, beside the data that the ledger is about.

Both engines implement it; `statistics.ledger` writes the entries and checks them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

SCHEMA, TABLE = "sfumato_accounts", "ledger"
"""Where databases store the entries, for every policy and gateway."""


class LedgerEntry(NamedTuple):
    """One entry: its number from 1, its hash, and its fields as canonical JSON."""

    number: int
    hash: str
    body: bytes


class EntryStore(ABC):
    """Stores entries beside the data that they are about, for one writer at a time across processes."""

    location: str
    """The name of the store in messages and heads: the same for the same data."""

    seconds: float = 10.0
    """How long a query may wait for other readers and writers; BusyError after that."""

    may_differ: bool = False
    """Whether a ledger may have applied entries that the store does not have, after a failure while writing."""

    @contextmanager
    @abstractmethod
    def exclusive(self) -> Iterator[LedgerEntries]:
        """Exclusive access to all entries; added ones are durable when the block ends without an error."""


class LedgerEntries(ABC):
    """The entries of a store, inside a transaction."""

    @abstractmethod
    def after(self, number: int) -> list[LedgerEntry]:
        """The entries with larger numbers, in order."""

    @abstractmethod
    def add(self, entry: LedgerEntry) -> None:
        """Add an entry."""
