"""The ledger of answered aggregates in a DuckDB database: beside the tables that they are about."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import duckdb

from sfumato.gateway.engines.own_words import in_own_words
from sfumato.gateway.statistics.ledger import SCHEMA, TABLE, EntryStore, LedgerEntries, LedgerEntry

_AT = f"{SCHEMA}.{TABLE}"
_COLUMNS = "number BIGINT NOT NULL UNIQUE, hash VARCHAR NOT NULL, body BLOB NOT NULL"
_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


class DuckDbEntries(EntryStore):
    """Entries in a schema of their own; DuckDB lets one process at a time write to a database file.

    `connect` gives a connection that is this store's own while it is used.
    """

    def __init__(self, place: str, connect: Callable[[], Any]) -> None:
        self.place = place
        self._connect = connect

    @contextmanager
    def exclusive(self) -> Iterator[LedgerEntries]:
        """One transaction; two stores of one database in this process take turns."""
        with _locks[self.place], in_own_words("the ledger of answered aggregates cannot be kept"):
            con = self._connect()
            try:
                con.execute("BEGIN TRANSACTION")
                con.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
                con.execute(f"CREATE TABLE IF NOT EXISTS {_AT} ({_COLUMNS})")
                yield _Kept(con)
                con.execute("COMMIT")
            except BaseException:
                with suppress(duckdb.Error):
                    con.execute("ROLLBACK")
                raise
            finally:
                con.close()


class _Kept(LedgerEntries):
    def __init__(self, con: Any) -> None:
        self._con = con

    def after(self, number: int) -> list[LedgerEntry]:
        asked = f"SELECT number, hash, body FROM {_AT} WHERE number > ? ORDER BY number"
        return [LedgerEntry(*row) for row in self._con.execute(asked, [number]).fetchall()]

    def add(self, entry: LedgerEntry) -> None:
        self._con.execute(f"INSERT INTO {_AT} VALUES (?, ?, ?)", list(entry))
