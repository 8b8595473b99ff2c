"""What people chose, in tables beside theirs: the key, and a small number for every column they decide about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from sfumato.errors import DataError
from sfumato.gateway.engines.quoting import quoted

SCHEMA = "sfumato_choices"


class ChoiceTables:
    """Choices in the owner's database; everything here runs in the transaction of whoever calls."""

    def __init__(self, con: Any) -> None:
        self._con = con

    def columns(self, table: str) -> list[str]:
        """The columns that choices are kept for; none where nobody has chosen yet."""
        asked = (
            "SELECT column_name FROM duckdb_columns() WHERE schema_name = ? AND table_name = ? ORDER BY column_index"
        )
        return [str(row[0]) for row in self._con.execute(asked, [SCHEMA, table]).fetchall()][1:]

    def set(self, table: str, key: str, kind: str, rows: pa.Table, columns: Sequence[str]) -> None:
        """Replaces what these people chose for the columns that the rows have, and keeps what they chose for others."""
        names = [name for name in rows.column_names if name != key]
        if key not in rows.column_names or not names or set(names) - set(columns):
            raise DataError(f"choices for {table!r} have the column {key!r} and some of {list(columns)}; got others.")
        self._prepare(table, key, kind, names)
        every = ", ".join(quoted(name) for name in (key, *names))
        updates = ", ".join(f"{quoted(name)} = excluded.{quoted(name)}" for name in names)
        self._con.execute(
            f'INSERT INTO {SCHEMA}.{quoted(table)} ({every}) SELECT {every} FROM "sfumato: rows" '
            f"ON CONFLICT ({quoted(key)}) DO UPDATE SET {updates}"
        )

    def _prepare(self, table: str, key: str, kind: str, names: Sequence[str]) -> None:
        at = f"{SCHEMA}.{quoted(table)}"
        self._con.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        self._con.execute(f"CREATE TABLE IF NOT EXISTS {at} ({quoted(key)} {kind} PRIMARY KEY)")
        for name in set(names) - set(self.columns(table)):
            self._con.execute(f"ALTER TABLE {at} ADD COLUMN {quoted(name)} SMALLINT")
