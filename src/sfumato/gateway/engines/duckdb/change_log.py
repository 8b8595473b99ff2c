"""Records which rows of the private tables changed, in the owner's database and in the same transactions.

`PrivateDuckDb` writes and reads it; snapshots use it to refresh only the changed rows.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import duckdb
import pyarrow as pa

from sfumato.gateway.engines.duckdb.quoting import quoted
from sfumato.gateway.engines.duckdb.small_results import fetch

SCHEMA = "sfumato_changes"
MAX_KEYS = 5_000
"""With more changed rows than this, a table is rebuilt instead."""
_MAX_LOGGED = 100_000
"""With more keys than this, a log is dropped and starts anew."""


class ChangeLog:
    """A counter per table that grows with every change, and the keys of the changed rows.

    A change whose rows are unknown raises the floor: nothing is known about changes before it. So does a log that has
    grown long. All methods run in the caller's transaction.
    """

    def __init__(self, con: Any) -> None:
        self._con = con
        self._pending: dict[str, tuple[int, pa.Array]] = {}
        self._last: dict[str, tuple[int, pa.Array]] = {}

    def transaction_begins(self) -> None:
        """Forget what an earlier transaction added and did not commit."""
        self._pending.clear()

    def transaction_committed(self) -> None:
        """Remember the last change of each table in memory, so that it need not be read back."""
        self._last.update(self._pending)

    def prepare(self) -> None:
        """Create the tables, if they do not exist."""
        self._con.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        self._con.execute(
            f'CREATE TABLE IF NOT EXISTS {SCHEMA}."counter" (name VARCHAR, number BIGINT, "floor" BIGINT)'
        )

    def state(self, table: str) -> tuple[int, int]:
        """The number of changes of a table, and the floor: the change since which the changed rows are known."""
        found = self._read(f'SELECT number, "floor" FROM {SCHEMA}."counter" WHERE name = ?', table)
        return (int(found[0][0]), int(found[0][1])) if found else (0, 0)

    def add(self, table: str, keys: pa.Array | None, *, related: Collection[str] = ()) -> None:
        """Record a change of the rows with these keys; None if they are unknown. No keys means no change.

        `related` are tables that may depend on it: their changes are recorded as unknown too, for views always, for
        other tables only if the rows are unknown.
        """
        others = set(related) - {table}
        # A view can depend on any table, so its changed rows are never known. The
        # check of `others` saves a look into the catalogue if nothing is related.
        for name in others if keys is None or not others else others & self._views():
            self.add(name, None)
        if keys is not None and not len(keys):
            return
        if keys is not None and keys.null_count:  # a row without a key cannot be found again
            keys = None
        number, floor = self.state(table)
        number += 1
        if keys is None or len(keys) > MAX_KEYS or self._logged(table) + len(keys) > _MAX_LOGGED:
            # Snapshots older than the floor are rebuilt, so the log before it is not needed.
            floor = number
            self._con.execute(f"DROP TABLE IF EXISTS {self._log(table)}")
        else:
            self._write(table, number, keys)
            self._pending[table] = (number, keys)
        self._con.execute(f'DELETE FROM {SCHEMA}."counter" WHERE name = ?', [table])
        self._con.execute(f'INSERT INTO {SCHEMA}."counter" VALUES (?, ?, ?)', [table, number, floor])

    def keys(self, table: str, since: int, state: tuple[int, int] | None = None) -> pa.Array | None:
        """The keys of rows that changed after a number; None if that is unknown or there are too many."""
        number, floor = state or self.state(table)
        if not floor <= since <= number:
            return None
        last = self._last.get(table)
        # The usual case: a snapshot lacks exactly the last change, whose keys are still in memory.
        if last is not None and last[0] == number == since + 1:
            return last[1]
        query = f"SELECT DISTINCT key FROM {self._log(table)} WHERE number > ? LIMIT {MAX_KEYS + 1}"
        try:
            found = fetch(self._con, query, [since])
        except duckdb.CatalogException:
            return None
        return None if found.num_rows > MAX_KEYS else found.column(0).combine_chunks()

    def _views(self) -> set[str]:
        return {str(name) for (name,) in self._read("SELECT view_name FROM duckdb_views() WHERE NOT internal")}

    def _write(self, table: str, number: int, keys: pa.Array) -> None:
        """Add keys to the log of a table."""
        self._con.register("sfumato: keys", pa.table({"key": keys}))
        try:
            rows = f'SELECT {number}::BIGINT AS number, key FROM "sfumato: keys"'
            if self._has_log(table):
                self._con.execute(f"INSERT INTO {self._log(table)} {rows}")
            else:
                self._con.execute(f"CREATE TABLE {self._log(table)} AS {rows}")
        finally:
            self._con.unregister("sfumato: keys")

    def _logged(self, table: str) -> int:
        """How many keys the log of a table has."""
        if not self._has_log(table):
            return 0
        return int(self._read(f"SELECT count(*) FROM {self._log(table)}")[0][0])

    def _has_log(self, table: str) -> bool:
        """Whether a table has a log."""
        query = "SELECT count(*) FROM duckdb_tables() WHERE schema_name = ? AND table_name = ?"
        return bool(self._read(query, SCHEMA, f"keys of {table}")[0][0])

    def _read(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        """All rows of a query: an unread rest would block the connection in DuckDB 2."""
        found: list[tuple[Any, ...]] = self._con.execute(sql, list(parameters)).fetchall()
        return found

    def _log(self, table: str) -> str:
        """The log of a table, as SQL."""
        return f"{SCHEMA}.{quoted(f'keys of {table}')}"
