"""Which rows of the private tables have changed since when, kept in the owner's database in the same transactions."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import duckdb
import pyarrow as pa

from sfumato.gateway.engines.duckdb.quoting import quoted
from sfumato.gateway.engines.duckdb.small_results import fetch

SCHEMA = "sfumato_changes"
MAX_KEYS = 5_000
"""More rows than that are not exchanged one by one; everything is built anew instead."""
_MAX_LOGGED = 100_000


class ChangeLog:
    """A counter for every table, which grows with every change, and the keys of the rows that changed.

    A change that cannot say which rows it touched moves the floor: nobody learns what changed since before then. So
    does a log that has grown long. Everything here runs in the transaction of whoever calls.
    """

    def __init__(self, con: Any) -> None:
        self._con = con
        self._pending: dict[str, tuple[int, pa.Array]] = {}
        self._last: dict[str, tuple[int, pa.Array]] = {}

    def transaction_begins(self) -> None:
        """A transaction begins; what the one before added, and did not keep, is forgotten."""
        self._pending.clear()

    def transaction_committed(self) -> None:
        """The transaction was kept; the last change of a table is remembered here too, and need not be read."""
        self._last.update(self._pending)

    def prepare(self) -> None:
        """Makes the tables, where they are not there yet."""
        self._con.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        self._con.execute(
            f'CREATE TABLE IF NOT EXISTS {SCHEMA}."counter" (name VARCHAR, number BIGINT, "floor" BIGINT)'
        )

    def state(self, table: str) -> tuple[int, int]:
        """How often the table has changed, and since when it is known which rows did."""
        found = self._read(f'SELECT number, "floor" FROM {SCHEMA}."counter" WHERE name = ?', table)
        return (int(found[0][0]), int(found[0][1])) if found else (0, 0)

    def add(self, table: str, keys: pa.Array | None, *, beside: Collection[str] = ()) -> None:
        """One more change, of the rows with these keys; None where nobody knows which. Without a row it is none.

        Of the tables `beside` it, those that are views have changed too, and all where nobody knows what happened.
        """
        others = set(beside) - {table}
        for name in others if keys is None or not others else others & self._views():
            self.add(name, None)
        if keys is not None and not len(keys):
            return
        if keys is not None and keys.null_count:  # rows without a key are not found again
            keys = None
        number, floor = self.state(table)
        number += 1
        if keys is None or len(keys) > MAX_KEYS or self._logged(table) + len(keys) > _MAX_LOGGED:
            floor = number
            self._con.execute(f"DROP TABLE IF EXISTS {self._log(table)}")
        else:
            self._write(table, number, keys)
            self._pending[table] = (number, keys)
        self._con.execute(f'DELETE FROM {SCHEMA}."counter" WHERE name = ?', [table])
        self._con.execute(f'INSERT INTO {SCHEMA}."counter" VALUES (?, ?, ?)', [table, number, floor])

    def keys(self, table: str, since: int, state: tuple[int, int] | None = None) -> pa.Array | None:
        """The keys of rows that changed after a number; None where that is not known, or they are many."""
        number, floor = state or self.state(table)
        if not floor <= since <= number:
            return None
        last = self._last.get(table)
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
        self._con.register("sfumato: keys", pa.table({"key": keys}))
        try:
            rows = f'SELECT {number}::BIGINT AS number, key FROM "sfumato: keys"'
            if self._is_there(table):
                self._con.execute(f"INSERT INTO {self._log(table)} {rows}")
            else:
                self._con.execute(f"CREATE TABLE {self._log(table)} AS {rows}")
        finally:
            self._con.unregister("sfumato: keys")

    def _logged(self, table: str) -> int:
        if not self._is_there(table):
            return 0
        return int(self._read(f"SELECT count(*) FROM {self._log(table)}")[0][0])

    def _is_there(self, table: str) -> bool:
        query = "SELECT count(*) FROM duckdb_tables() WHERE schema_name = ? AND table_name = ?"
        return bool(self._read(query, SCHEMA, f"keys of {table}")[0][0])

    def _read(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        """All of it: a result of which something is left keeps DuckDB 2 from doing anything else."""
        found: list[tuple[Any, ...]] = self._con.execute(sql, list(parameters)).fetchall()
        return found

    def _log(self, table: str) -> str:
        return f"{SCHEMA}.{quoted(f'keys of {table}')}"
