"""The ledger of statistical answers: what was answered to whom, stored with the data.

What was answered must not be lost: not by a restart, not because a file was truncated or deleted, and not because the
caller uses another gateway on the same database. So the entries are stored in the database itself, as a hash chain:
each entry has a hash of itself and of the entry before it. The last hash, the head, is also written to a file beside
the gateway.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sfumato.errors import BusyError, DataError
from sfumato.gateway.engines.entry_store import EntryStore, LedgerEntries, LedgerEntry
from sfumato.gateway.log.audit_lines import NOTHING_BEFORE, hash_of
from sfumato.runtime.durable_lines import DurableLines

Fields = Mapping[str, Any]
"""The content of an entry."""
Write = Callable[[Fields], None]
"""Appends an entry with these fields."""
Result = TypeVar("Result")


class LedgerStore(EntryStore):
    """A store for the use of one ledger, so that `may_differ` is about this ledger only."""

    def __init__(self, store: EntryStore) -> None:
        self._store = store
        self.location, self.seconds = store.location, store.seconds

    @contextmanager
    def exclusive(self) -> Iterator[LedgerEntries]:
        """All entries of the underlying store."""
        with self._store.exclusive() as entries:
            yield entries


class Head(NamedTuple):
    """The last entry of a ledger: the ledger's name, and the number and hash of the entry."""

    ledger: str
    number: int
    hash: str


class Heads:
    """The last hash of every ledger, written to a file beside the gateway after each entry.

    It shows that entries are missing from a database, because an older copy was restored or somebody removed them. A
    ledger with more entries is fine: another gateway wrote to it. A head is looked up by the location of the ledger,
    where another ledger may be by now, and by the ledger's name, which copies at other locations share.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._lines = DurableLines(self._path)
        self._at: dict[str, Head] = {}
        self._of: dict[str, Head] = {}
        try:
            self._restore()
        except BaseException:
            self._lines.close()
            raise

    def at(self, location: str) -> Head | None:
        """The head of the ledger at a location; None if none was recorded."""
        return self._at.get(location)

    def of(self, ledger: str) -> Head | None:
        """The head of a ledger by its name, wherever it was; None if none was recorded, or the ledger has no name."""
        return self._of.get(ledger)

    def record(self, location: str, head: Head) -> None:
        """Write the head of a ledger to disk."""
        fields = {"place": location, **head._asdict()}
        self._lines.append(lambda: json.dumps(fields, sort_keys=True, separators=(",", ":")).encode())
        self._remember(location, head)

    def close(self) -> None:
        """Close the file, so that another gateway can write it."""
        self._lines.close()

    def _remember(self, location: str, head: Head) -> None:
        """Keep a head in memory; by name, only the newest."""
        self._at[location] = head
        if head.ledger and (head.ledger not in self._of or head.number >= self._of[head.ledger].number):
            self._of[head.ledger] = head

    def _restore(self) -> None:
        """Read the file."""
        with self._path.open("rb") as lines:
            for line in lines:
                try:
                    fields = json.loads(line)
                    self._remember(
                        fields["place"], Head(str(fields["ledger"]), int(fields["number"]), str(fields["hash"]))
                    )
                except (ValueError, KeyError, TypeError):
                    raise DataError(f"{self._path.name!r} has a line that is not the head of a ledger.") from None


class Ledger:
    """The entries of one store; each is passed to `apply` once, in order, whichever gateway wrote it.

    After a failure while entries were written, it is unknown whether the store has them, though they were applied. The
    store is marked `may_differ`, and the ledger records nothing more; a new ledger applies what the store really has.

    >>> import duckdb
    >>> from sfumato.gateway.engines.duckdb.ledger_entries import DuckDbEntries
    >>> taken = []
    >>> store = DuckDbEntries("memory", duckdb.connect().cursor)
    >>> ledger = Ledger(store, lambda fields: taken.append(fields["epsilon"]))
    >>> ledger.record(lambda write: write({"epsilon": 0.5}))
    >>> taken
    [0.5]
    """

    def __init__(self, store: EntryStore, apply: Callable[[Fields], None], heads: Heads | None = None) -> None:
        self._store, self._apply, self._heads = store, apply, heads
        self._name, self._number, self._hash = "", 0, NOTHING_BEFORE
        self._stored_number = 0
        self._verified_heads: set[Head | None] = set()
        self._lock = threading.Lock()

    def record(self, decide: Callable[[Write], Result]) -> Result:
        """Run `decide` with all entries applied and other writers excluded, and return its result.

        The entries that it writes are durable when this returns. `decide` raises before it writes, or not at all.
        """
        with self._exclusively():
            if self._store.may_differ:
                raise BusyError("whether the last aggregates were charged is not known yet; ask again.")
            before = self._number
            try:
                with self._store.exclusive() as entries:
                    self._catch_up(entries)
                    result = decide(lambda fields: self._add(entries, fields))
            except BaseException:
                self._store.may_differ = self._number != self._stored_number  # applied, but perhaps not stored
                raise
            self._stored_number = self._number
            if self._number > before and self._heads is not None:
                head = Head(self._name, self._number, self._hash)
                # The head file is written after the entries are durable. After a crash in between it names an older
                # entry, which the ledger still has, so that is accepted.
                self._verified_heads = {head}
                self._heads.record(self._store.location, head)
            return result

    @contextmanager
    def _exclusively(self) -> Iterator[None]:
        """One query at a time; others wait as long as a query may take."""
        if not self._lock.acquire(timeout=min(self._store.seconds, threading.TIMEOUT_MAX)):
            raise BusyError("other questions for aggregates are being decided; ask again later.")
        try:
            yield
        finally:
            self._lock.release()

    def _catch_up(self, entries: LedgerEntries) -> None:
        """Apply the entries of other gateways, checking the hash chain; what was there before must still be there.

        Reading starts with the last known entry. If its hash is the known one, all entries before it are unchanged too,
        because every hash covers the one before.
        """
        fresh = entries.after(max(0, self._number - 1))
        if self._number and (not fresh or (fresh[0].number, fresh[0].hash) != (self._number, self._hash)):
            raise self._untrusted("entries are missing that were there before")
        for entry in fresh[1:] if self._number else fresh:
            if entry.number != self._number + 1 or hash_of(self._hash, entry.body) != entry.hash:
                raise self._untrusted("an entry was changed or removed")
            self._apply_entry(entry, json.loads(entry.body))
            self._stored_number = self._number
        self._demand_heads(entries)

    def _demand_heads(self, entries: LedgerEntries) -> None:
        """The heads recorded for this location and for this ledger must be entries of it."""
        if self._heads is None:
            return
        # The head by location detects a replaced or truncated ledger;
        # the head by name detects an older copy elsewhere.
        here, anywhere = self._heads.at(self._store.location), self._heads.of(self._name)
        if not self._has(here, entries):
            raise self._untrusted("entries are missing that were there before")
        if not self._has(anywhere, entries):
            raise self._untrusted("it is a copy, and more was answered since by the ledger that it is a copy of")
        self._verified_heads = {here, anywhere}

    def _has(self, head: Head | None, entries: LedgerEntries) -> bool:
        """Whether the ledger has the entry of a head."""
        if head is None or head in self._verified_heads:
            return True
        return head.ledger in ("", self._name) and self._hash_at(head.number, entries) == head.hash

    def _hash_at(self, number: int, entries: LedgerEntries) -> str:
        """The hash of an entry, which is nearly always the last one."""
        if number >= self._number:
            return self._hash if number == self._number else ""
        return entries.after(number - 1)[0].hash

    def _add(self, entries: LedgerEntries, fields: Fields) -> None:
        """Append an entry; the first one gives the ledger a random name."""
        if not self._name:
            self._append(entries, {"kind": "opened", "ledger": secrets.token_hex(16)})
        self._append(entries, fields)

    def _append(self, entries: LedgerEntries, fields: Fields) -> None:
        """Append one entry to the chain."""
        # One canonical form, so that the hash can be checked against the
        # stored bytes. The entry is applied only after the store accepted it.
        body = json.dumps(fields, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
        entry = LedgerEntry(self._number + 1, hash_of(self._hash, body), body)
        entries.add(entry)
        self._apply_entry(entry, fields)

    def _apply_entry(self, entry: LedgerEntry, fields: Fields) -> None:
        """Advance the chain, and apply the entry."""
        self._number, self._hash = entry.number, entry.hash
        if fields.get("kind") == "opened":
            self._name = str(fields["ledger"])
        else:
            self._apply(fields)

    def _untrusted(self, why: str) -> DataError:
        """The error for a ledger that was changed."""
        return DataError(
            f"the ledger of answered aggregates in {self._store.location!r} cannot be trusted: {why}. Restore the "
            "database. If it is another one on purpose, move the file of heads beside the gateway away; what was "
            "answered before is forgotten then."
        )
