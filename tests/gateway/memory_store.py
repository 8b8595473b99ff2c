"""A store of ledger entries in memory, for data that live in memory too."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sfumato.gateway.engines.entry_store import EntryStore, LedgerEntries, LedgerEntry


class MemoryStore(EntryStore):
    """Entries in a list."""

    location = "memory"

    def __init__(self) -> None:
        self.entries: list[LedgerEntry] = []
        self._lock = threading.Lock()

    @contextmanager
    def exclusive(self) -> Iterator[LedgerEntries]:
        with self._lock:
            yield _ListEntries(self.entries)


class _ListEntries(LedgerEntries):
    """Entries of a list."""

    def __init__(self, entries: list[LedgerEntry]) -> None:
        self._entries = entries

    def after(self, number: int) -> list[LedgerEntry]:
        return [entry for entry in self._entries if entry.number > number]

    def add(self, entry: LedgerEntry) -> None:
        self._entries.append(entry)
