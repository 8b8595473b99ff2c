"""The ledger of answered aggregates in a DuckDB database, beside the tables that it is about."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb

from sfumato.errors import BusyError
from sfumato.gateway.engines.duckdb.error_messages import hiding_engine_messages
from sfumato.gateway.engines.entry_store import SCHEMA, TABLE, EntryStore, LedgerEntries, LedgerEntry

_AT = f"{SCHEMA}.{TABLE}"
_COLUMNS = "number BIGINT NOT NULL UNIQUE, hash VARCHAR NOT NULL, body BLOB NOT NULL"
_FILE_IS_LOCKED = "Could not set lock on file"
_BUSY = "the ledger of answered aggregates is in use by other questions or another process; ask again later."
_PAUSE_SECONDS = 0.02
_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


class DuckDbEntries(EntryStore):
    """Ledger entries in a schema of their own; DuckDB lets one process at a time write to a database file.

    `connect` opens a connection for the exclusive use of this store. A writer waits for writers of other threads and
    processes as long as a query may take.
    """

    def __init__(self, location: str, connect: Callable[[], Any]) -> None:
        self.location = location
        self._connect = connect

    @contextmanager
    def exclusive(self) -> Iterator[LedgerEntries]:
        """One transaction; stores of the same database take turns."""
        end = time.monotonic() + self.seconds
        with (
            self._exclusive_in_process(),
            hiding_engine_messages("the ledger of answered aggregates cannot be written"),
        ):
            con = self._connect_when_free(end)
            try:
                con.execute("BEGIN TRANSACTION")
                con.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
                con.execute(f"CREATE TABLE IF NOT EXISTS {_AT} ({_COLUMNS})")
                yield _LedgerTable(con)
                con.execute("COMMIT")
            except BaseException:
                with suppress(duckdb.Error):
                    con.execute("ROLLBACK")
                raise
            finally:
                con.close()

    @contextmanager
    def _exclusive_in_process(self) -> Iterator[None]:
        """The lock of this database among the threads of this process."""
        lock = _locks[self.location]
        if not lock.acquire(timeout=min(self.seconds, threading.TIMEOUT_MAX)):
            raise BusyError(_BUSY)
        try:
            yield
        finally:
            lock.release()

    def _connect_when_free(self, end: float) -> Any:
        """A connection, once no other process has the file open."""
        while True:
            try:
                return self._connect()
            except duckdb.IOException as error:
                # Another process has the file open; every other problem is reported at once.
                if _FILE_IS_LOCKED not in str(error):
                    raise
            if time.monotonic() >= end:
                raise BusyError(_BUSY)
            time.sleep(_PAUSE_SECONDS)


def open_ledger_beside(folder: Path, config: dict[str, Any]) -> Any:
    """Open the ledger beside a data file, in a folder that only its owner can read.

    All files that DuckDB creates are in this folder. The ledger is small, so it gets no folder for spilled rows.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    return duckdb.connect(str(folder / "ledger.duckdb"), config={**config, "temp_directory": ""})


class _LedgerTable(LedgerEntries):
    """The entries inside one transaction."""

    def __init__(self, con: Any) -> None:
        self._con = con

    def after(self, number: int) -> list[LedgerEntry]:
        query = f"SELECT number, hash, body FROM {_AT} WHERE number > ? ORDER BY number"
        return [LedgerEntry(*row) for row in self._con.execute(query, [number]).fetchall()]

    def add(self, entry: LedgerEntry) -> None:
        self._con.execute(f"INSERT INTO {_AT} VALUES (?, ?, ?)", list(entry))
