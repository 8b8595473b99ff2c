"""The ledger of answered aggregates in a PostgreSQL database, readable and writable by the owner alone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from typing import Any

import psycopg
from psycopg.sql import SQL

from sfumato.errors import SfumatoError
from sfumato.gateway.engines.entry_store import SCHEMA, TABLE, EntryStore, LedgerEntries, LedgerEntry
from sfumato.gateway.engines.postgres.connections import connect, connection_error
from sfumato.gateway.engines.postgres.deployment.statements import quoted_name

_SET_LOCK_TIMEOUT = "SELECT set_config('lock_timeout', %s, true)"
_MAX_SECONDS = 1_000_000
"""A longer waiting time counts as unlimited."""

_TABLE_EXISTS = "SELECT to_regclass(%s) IS NOT NULL"
_LOCK_CREATION = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
_SCHEMA, _LEDGER = quoted_name(SCHEMA), quoted_name(SCHEMA, TABLE)
_CREATE_LEDGER = (
    SQL("CREATE SCHEMA IF NOT EXISTS {}").format(_SCHEMA),
    SQL("REVOKE ALL ON SCHEMA {} FROM PUBLIC").format(_SCHEMA),
    SQL("CREATE TABLE IF NOT EXISTS {} (number bigint PRIMARY KEY, hash text NOT NULL, body bytea NOT NULL)").format(
        _LEDGER
    ),
    SQL("REVOKE ALL ON {} FROM PUBLIC").format(_LEDGER),
)


class PostgresEntries(EntryStore):
    """Ledger entries in a schema of their own, independent of the deployed policy; a table lock serializes writers.

    A writer waits for writers of other threads and processes as long as a query may take.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._prepared = False
        self.location = f"PostgreSQL database {psycopg.conninfo.conninfo_to_dict(owner).get('dbname', '')}"

    @contextmanager
    def exclusive(self) -> Iterator[LedgerEntries]:
        """One transaction as the owner of the tables, with the ledger locked."""
        failure: SfumatoError | None = None
        try:
            end = time.monotonic() + self.seconds
            self._prepare(end)
            with self._connect() as connection:
                connection.execute(_SET_LOCK_TIMEOUT, [self._remaining_milliseconds(end)])
                # Serializes writers of all gateways. The lock comes before
                # the first read, so the transaction sees all entries.
                connection.execute(SQL("LOCK TABLE {} IN EXCLUSIVE MODE").format(_LEDGER))
                yield _LedgerTable(connection)
        except psycopg.Error as error:
            failure = connection_error(error)
        if failure is not None:  # outside the except block, so that the server's message is not its context
            raise failure

    def _remaining_milliseconds(self, end: float) -> str:
        """The rest of the waiting time as a value of lock_timeout, where 0 means unlimited."""
        return "0" if self.seconds > _MAX_SECONDS else str(max(1, round(1000 * (end - time.monotonic()))))

    def _connect(self) -> psycopg.Connection[Any]:
        return connect(self._owner, connect_timeout=ceil(min(self.seconds, _MAX_SECONDS)))

    def _prepare(self, end: float) -> None:
        """Create the table if it does not exist.

        A lock lets gateways that start at the same moment create it one after another. Without it one of them would
        fail: IF NOT EXISTS does not see what another transaction has not committed, and two REVOKE of the same schema
        collide.
        """
        if self._prepared:
            return
        name = f"{SCHEMA}.{TABLE}"
        with self._connect() as connection:
            if not connection.execute(_TABLE_EXISTS, [name]).fetchall()[0][0]:
                connection.execute(_SET_LOCK_TIMEOUT, [self._remaining_milliseconds(end)])
                connection.execute(_LOCK_CREATION, [name])
                for statement in _CREATE_LEDGER:
                    connection.execute(statement)
        self._prepared = True


class _LedgerTable(LedgerEntries):
    """The entries inside one transaction."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def after(self, number: int) -> list[LedgerEntry]:
        query = SQL("SELECT number, hash, body FROM {} WHERE number > %s ORDER BY number").format(_LEDGER)
        return [LedgerEntry(row[0], row[1], bytes(row[2])) for row in self._connection.execute(query, [number])]

    def add(self, entry: LedgerEntry) -> None:
        insert = SQL("INSERT INTO {} (number, hash, body) VALUES (%s, %s, %s)").format(_LEDGER)
        self._connection.execute(insert, list(entry))
