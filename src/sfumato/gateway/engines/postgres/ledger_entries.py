"""The ledger of answered aggregates in a PostgreSQL database, which its owner alone can read and write."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import ceil
from typing import Any

import psycopg
from psycopg.sql import SQL

from sfumato.errors import SfumatoError
from sfumato.gateway.engines.postgres.connections import connection_error
from sfumato.gateway.engines.postgres.deployment.statements import quoted_name
from sfumato.gateway.statistics.ledger import SCHEMA, TABLE, EntryStore, LedgerEntries, LedgerEntry

_SET_LOCK_TIMEOUT = "SELECT set_config('lock_timeout', %s, true)"
_MAX_SECONDS = 1_000_000
"""Seconds; who may wait longer may wait without end."""

_TABLE_EXISTS = "SELECT to_regclass(%s) IS NOT NULL"
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
    """Entries in a schema of their own, whichever policy is deployed; a lock on the table keeps writers apart.

    Whoever comes while somebody else holds it, in whichever process, waits for as long as a question may take.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._prepared = False
        self.place = f"PostgreSQL database {psycopg.conninfo.conninfo_to_dict(owner).get('dbname', '')}"

    @contextmanager
    def exclusive(self) -> Iterator[LedgerEntries]:
        """One transaction as the owner of the tables."""
        failure: SfumatoError | None = None
        try:
            end = time.monotonic() + self.seconds
            self._prepare()
            with self._connect() as connection:
                connection.execute(_SET_LOCK_TIMEOUT, [self._remaining_milliseconds(end)])
                connection.execute(SQL("LOCK TABLE {} IN EXCLUSIVE MODE").format(_LEDGER))
                yield _LedgerTable(connection)
        except psycopg.Error as error:
            failure = connection_error(error)
        if failure is not None:  # raised out here, so that the engine's own words do not hang on it
            raise failure

    def _remaining_milliseconds(self, end: float) -> str:
        """How many milliseconds there are still to wait for others, as PostgreSQL reads it: none are without end."""
        return "0" if self.seconds > _MAX_SECONDS else str(max(1, round(1000 * (end - time.monotonic()))))

    def _connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self._owner, connect_timeout=ceil(min(self.seconds, _MAX_SECONDS)))

    def _prepare(self) -> None:
        """Make the table where there is none; somebody else may be doing the same."""
        if self._prepared:
            return
        with self._connect() as connection:
            if not connection.execute(_TABLE_EXISTS, [f"{SCHEMA}.{TABLE}"]).fetchall()[0][0]:
                with suppress(psycopg.errors.UniqueViolation, psycopg.errors.DuplicateTable):
                    for statement in _CREATE_LEDGER:
                        connection.execute(statement)
        self._prepared = True


class _LedgerTable(LedgerEntries):
    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def after(self, number: int) -> list[LedgerEntry]:
        query = SQL("SELECT number, hash, body FROM {} WHERE number > %s ORDER BY number").format(_LEDGER)
        return [LedgerEntry(row[0], row[1], bytes(row[2])) for row in self._connection.execute(query, [number])]

    def add(self, entry: LedgerEntry) -> None:
        insert = SQL("INSERT INTO {} (number, hash, body) VALUES (%s, %s, %s)").format(_LEDGER)
        self._connection.execute(insert, list(entry))
