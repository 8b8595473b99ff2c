"""The ledger of statistical answers: what was answered to whom, kept where the data lie.

What somebody was answered must not be forgotten: neither by a restart, nor because a file was cut or deleted, nor
because somebody asks through another gateway on the same database. So the entries lie in the database itself, each with
a hash of itself and the entry before, and the last hash is noted beside the gateway, too.
"""

from __future__ import annotations

import json
import secrets
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sfumato.errors import BusyError, DataError
from sfumato.gateway.log.audit_lines import NOTHING_BEFORE, hash_of
from sfumato.runtime.durable_lines import DurableLines

SCHEMA, TABLE = "sfumato_accounts", "ledger"
"""Where databases keep the entries, whichever policy or gateway they are of."""

Fields = Mapping[str, Any]
Write = Callable[[Fields], None]
Result = TypeVar("Result")


class LedgerEntry(NamedTuple):
    """One entry: its number from 1, its hash, and its fields as canonical JSON."""

    number: int
    hash: str
    body: bytes


class EntryStore(ABC):
    """Keeps entries beside the data that they are about, for one writer at a time, in whichever process."""

    place: str
    """What the store is called in messages and heads: the same for the same data."""

    seconds: float = 10.0
    """How long a question may wait for others who read or write; BusyError after that."""

    may_differ: bool = False
    """Whether what a ledger took from the store may differ from what is in it: nobody knows how a failure ended."""

    @contextmanager
    @abstractmethod
    def exclusive(self) -> Iterator[LedgerEntries]:
        """All entries, while nobody else reads or writes; what was added is durable when the block ends well."""


class LedgerEntries(ABC):
    """The entries of a store, inside a transaction."""

    @abstractmethod
    def after(self, number: int) -> list[LedgerEntry]:
        """Those with larger numbers, in order."""

    @abstractmethod
    def add(self, entry: LedgerEntry) -> None:
        """One more."""


class LedgerStore(EntryStore):
    """Another store for one ledger alone, so that its doubts are those of this ledger."""

    def __init__(self, store: EntryStore) -> None:
        self._store = store
        self.place, self.seconds = store.place, store.seconds

    @contextmanager
    def exclusive(self) -> Iterator[LedgerEntries]:
        """All entries of the other store."""
        with self._store.exclusive() as entries:
            yield entries


class MemoryStore(EntryStore):
    """Entries that live as long as the process, for data that do too."""

    place = "memory"

    def __init__(self) -> None:
        self.entries: list[LedgerEntry] = []
        self._lock = threading.Lock()

    @contextmanager
    def exclusive(self) -> Iterator[LedgerEntries]:
        """All entries."""
        with self._lock:
            yield _ListEntries(self.entries)


class _ListEntries(LedgerEntries):
    def __init__(self, entries: list[LedgerEntry]) -> None:
        self._entries = entries

    def after(self, number: int) -> list[LedgerEntry]:
        return [entry for entry in self._entries if entry.number > number]

    def add(self, entry: LedgerEntry) -> None:
        self._entries.append(entry)


class Head(NamedTuple):
    """The last entry of a ledger: the ledger's own name, and the number and hash of the entry."""

    ledger: str
    number: int
    hash: str


class Heads:
    """The last hash of every ledger, noted in a file beside the gateway after each entry.

    Entries that are missing from a database, because it was restored from an older copy or somebody removed them, are
    noticed by this; a ledger with more entries is one that another gateway wrote to. A head is found by the place of
    the ledger, where another one may lie by now, and by the ledger's own name, which a copy at any other place has too.
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

    def at(self, place: str) -> Head | None:
        """The head of the ledger at a place; None if none was noted."""
        return self._at.get(place)

    def of(self, ledger: str) -> Head | None:
        """The head of a ledger by its own name, wherever it lay; None if none was noted, or the ledger has no name."""
        return self._of.get(ledger)

    def record(self, place: str, head: Head) -> None:
        """Put the last entry of a ledger on disk."""
        fields = {"place": place, **head._asdict()}
        self._lines.append(lambda: json.dumps(fields, sort_keys=True, separators=(",", ":")).encode())
        self._remember(place, head)

    def close(self) -> None:
        """Let others write."""
        self._lines.close()

    def _remember(self, place: str, head: Head) -> None:
        self._at[place] = head
        if head.ledger and (head.ledger not in self._of or head.number >= self._of[head.ledger].number):
            self._of[head.ledger] = head

    def _restore(self) -> None:
        with self._path.open("rb") as lines:
            for line in lines:
                try:
                    fields = json.loads(line)
                    self._remember(
                        fields["place"], Head(str(fields["ledger"]), int(fields["number"]), str(fields["hash"]))
                    )
                except (ValueError, KeyError, TypeError):
                    raise DataError(f"{self._path.name!r} has a line that is no head of a ledger.") from None


class Ledger:
    """The entries of one store, each handed to `take` once, in order, whichever gateway wrote it.

    After a failure with entries on their way nobody knows whether the store has them, and they were taken already. The
    store is `doubtful` then, and the ledger records nothing more: begin anew with another one, which takes from the
    store what is there.

    >>> taken = []
    >>> ledger = Ledger(MemoryStore(), lambda fields: taken.append(fields["epsilon"]))
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
        """What `decide` gives; the entries that it writes are durable when this returns.

        `decide` is called when all entries of others were taken, while nobody else can write. It raises before it
        writes, or not at all.
        """
        with self._locked():
            if self._store.may_differ:
                raise BusyError("whether the last aggregates could be accounted for is being found out; ask again.")
            before = self._number
            try:
                with self._store.exclusive() as entries:
                    self._catch_up(entries)
                    result = decide(lambda fields: self._add(entries, fields))
            except BaseException:
                self._store.may_differ = (
                    self._number != self._stored_number
                )  # what was taken is perhaps not in the store
                raise
            self._stored_number = self._number
            if self._number > before and self._heads is not None:
                head = Head(self._name, self._number, self._hash)
                self._verified_heads = {head}
                self._heads.record(self._store.place, head)
            return result

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One question at a time; others wait for as long as a question may take."""
        if not self._lock.acquire(timeout=min(self._store.seconds, threading.TIMEOUT_MAX)):
            raise BusyError("other questions for aggregates are being decided; ask again later.")
        try:
            yield
        finally:
            self._lock.release()

    def _catch_up(self, entries: LedgerEntries) -> None:
        """Take what others wrote; what was there before must be there still."""
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
        """What was noted about this place, and about this ledger at whichever place, must be in it."""
        if self._heads is None:
            return
        here, anywhere = self._heads.at(self._store.place), self._heads.of(self._name)
        if not self._has(here, entries):
            raise self._untrusted("entries are missing that were there before")
        if not self._has(anywhere, entries):
            raise self._untrusted("it is a copy, and more was answered since by the ledger that it is a copy of")
        self._verified_heads = {here, anywhere}

    def _has(self, head: Head | None, entries: LedgerEntries) -> bool:
        if head is None or head in self._verified_heads:
            return True
        return head.ledger in ("", self._name) and self._hash_at(head.number, entries) == head.hash

    def _hash_at(self, number: int, entries: LedgerEntries) -> str:
        """The hash of an entry; seldom of another one than the last."""
        if number >= self._number:
            return self._hash if number == self._number else ""
        return entries.after(number - 1)[0].hash

    def _add(self, entries: LedgerEntries, fields: Fields) -> None:
        if not self._name:
            self._append(entries, {"kind": "opened", "ledger": secrets.token_hex(16)})
        self._append(entries, fields)

    def _append(self, entries: LedgerEntries, fields: Fields) -> None:
        body = json.dumps(fields, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
        entry = LedgerEntry(self._number + 1, hash_of(self._hash, body), body)
        entries.add(entry)
        self._apply_entry(entry, fields)

    def _apply_entry(self, entry: LedgerEntry, fields: Fields) -> None:
        self._number, self._hash = entry.number, entry.hash
        if fields.get("kind") == "opened":
            self._name = str(fields["ledger"])
        else:
            self._apply(fields)

    def _untrusted(self, why: str) -> DataError:
        return DataError(
            f"the ledger of answered aggregates in {self._store.place!r} cannot be trusted: {why}. Restore the "
            "database. If it is another one on purpose, move the file of heads beside the gateway away; what was "
            "answered before is forgotten then."
        )
