"""What people chose, in tables beside theirs: the key, a small number for every column, and what it was before."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import duckdb
import pyarrow as pa

from sfumato.errors import DataError, StatementError
from sfumato.gateway.engines.duckdb.quoting import quoted
from sfumato.gateway.engines.duckdb.small_results import rows_of
from sfumato.gateway.people.choosing import ChoiceAuthor, ChoiceRecord, demand_stable_positions

SCHEMA = "sfumato_choices"
_COMING = "sfumato: choices"
_NAMES = f'{SCHEMA}."sfumato: names"'
_ENTRIES = f'{SCHEMA}."sfumato: entries"'


class ChoiceTables:
    """Choices in the owner's database; everything here runs in the transaction of whoever calls."""

    def __init__(self, con: Any) -> None:
        self._con = con

    def columns(self, table: str) -> list[str]:
        """The columns that choices are kept for; none where nobody has chosen yet."""
        try:
            self._con.execute(f"SELECT * FROM {SCHEMA}.{quoted(table)} LIMIT 0")
        except duckdb.CatalogException:
            return []
        names = [str(column[0]) for column in self._con.description]
        self._con.fetchall()
        return names[1:]

    def keep_names(self, names: Sequence[str], *, write: bool) -> None:
        """Choices are kept by their place, so new ones come after those that are kept, and none of these goes away."""
        kept = self._kept_names()
        demand_stable_positions(names, kept)
        if write and len(names) > len(kept):
            self._con.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            self._con.execute(f"CREATE OR REPLACE TABLE {_NAMES} AS SELECT unnest(?) AS name", [list(names)])

    def _kept_names(self) -> list[str]:
        try:
            return [name for (name,) in self._con.execute(f"SELECT name FROM {_NAMES} ORDER BY rowid").fetchall()]
        except duckdb.CatalogException:
            return []

    def history(self, table: str, key: str) -> list[ChoiceRecord]:
        """What the person with a key chose when, the oldest first."""
        asked = (
            "SELECT chosen_at, column_name, place, entered_by, login "
            f"FROM {_history(table)} JOIN {_ENTRIES} USING (entry) WHERE CAST(key AS VARCHAR) = ? ORDER BY entry"
        )
        try:
            found = self._con.execute(asked, [key]).fetchall()
        except duckdb.CatalogException:
            return []
        names = ["", *self._kept_names()]
        return [
            ChoiceRecord(
                at.replace(tzinfo=UTC), column, names[place] if place < len(names) else str(place), entered_by, login
            )
            for at, column, place, entered_by, login in found
        ]

    def set(
        self,
        table: str,
        key: str,
        kind: str,
        rows: pa.Table,
        columns: Sequence[str],
        entered: ChoiceAuthor,
    ) -> pa.Array:
        """Replaces what these people chose for the columns that the rows have, and keeps what they chose for others.

        Answers their keys, as the table has them.
        """
        names = [name for name in rows.column_names if name != key]
        if key not in rows.column_names or not names or set(names) - set(columns):
            raise DataError(f"choices for {table!r} have the column {key!r} and some of {list(columns)}; got others.")
        self._prepare(table, key, kind, names)
        self._con.register(_COMING, rows)
        try:
            return self._exchange(table, key, kind, names, entered)
        finally:
            with suppress(duckdb.Error):  # of a transaction that failed; the name is taken anew the next time
                self._con.unregister(_COMING)

    def _exchange(self, table: str, key: str, kind: str, names: Sequence[str], entered: ChoiceAuthor) -> pa.Array:
        at, person = f"{SCHEMA}.{quoted(table)}", quoted(key)
        coming = ", ".join([f"TRY_CAST({person} AS {kind}) AS {person}", *map(quoted, names)])
        coming = f"(SELECT {coming} FROM {quoted(_COMING)}) AS coming"
        self._demand_one_each(table, person, coming)
        self._demand_written_alike(table, person, kind)
        self._record(table, person, names, coming, entered)
        updates = ", ".join(f"{quoted(name)} = coming.{quoted(name)}" for name in names)
        every = ", ".join([person, *map(quoted, names)])
        same = f"kept.{person} = coming.{person}"
        self._con.execute(f"UPDATE {at} AS kept SET {updates} FROM {coming} WHERE {same}")
        self._con.execute(f"INSERT INTO {at} ({every}) SELECT {every} FROM {coming} ANTI JOIN {at} AS kept ON {same}")
        return rows_of(self._con, f"SELECT {person} FROM {coming}", []).column(0).combine_chunks()

    def _record(self, table: str, person: str, names: Sequence[str], coming: str, entered: ChoiceAuthor) -> None:
        """Into the history what differs from what is kept; called before anything is changed.

        Who entered something when is said once for all people, since most choices come in crowds.
        """
        at = datetime.now(UTC).replace(tzinfo=None)
        for name in names:
            said = [at, name.removesuffix(".choice"), entered.by, entered.login]
            asked = (
                f"INSERT INTO {_ENTRIES} SELECT coalesce(max(entry), 0) + 1, ?, ?, ?, ? FROM {_ENTRIES} RETURNING entry"
            )
            (number,) = self._con.execute(asked, said).fetchall()[0]
            new, old = (f"coalesce({side}.{quoted(name)}, 0)" for side in ("coming", "kept"))
            self._con.execute(
                f"INSERT INTO {_history(table)} SELECT {number}, coming.{person}, {new} "
                f"FROM {coming} LEFT JOIN {SCHEMA}.{quoted(table)} AS kept USING ({person}) WHERE {new} <> {old}"
            )

    def _demand_one_each(self, table: str, person: str, coming: str) -> None:
        """Here and not by a unique key of the table, whose index would take several times the room of all choices."""
        asked = f"SELECT count(*), count(DISTINCT {person}) FROM {coming}"
        found = self._con.execute(asked).fetchall()[0]
        if found[0] != found[1]:
            raise StatementError(f"choices for {table!r} name somebody twice, or nobody.")

    def _demand_written_alike(self, table: str, person: str, kind: str) -> None:
        """A key that becomes another one on the way, such as 2.6 for 3, is nobody's."""
        same = f"CAST(CAST({person} AS {kind}) AS VARCHAR) IS NOT DISTINCT FROM CAST({person} AS VARCHAR)"
        found = self._con.execute(f"SELECT count(*) FROM {quoted(_COMING)} WHERE NOT ({same})").fetchall()[0]
        if found[0]:
            raise StatementError(f"choices for {table!r} name keys in another way than the table does.")

    def _prepare(self, table: str, key: str, kind: str, names: Sequence[str]) -> None:
        at = f"{SCHEMA}.{quoted(table)}"
        self._con.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        self._con.execute(f"CREATE TABLE IF NOT EXISTS {at} ({quoted(key)} {kind} NOT NULL)")
        self._con.execute(
            f"CREATE TABLE IF NOT EXISTS {_ENTRIES} "
            "(entry INTEGER, chosen_at TIMESTAMP, column_name VARCHAR, entered_by VARCHAR, login VARCHAR)"
        )
        self._con.execute(f"CREATE TABLE IF NOT EXISTS {_history(table)} (entry INTEGER, key {kind}, place SMALLINT)")
        for name in set(names) - set(self.columns(table)):
            self._con.execute(f"ALTER TABLE {at} ADD COLUMN {quoted(name)} SMALLINT")


def _history(table: str) -> str:
    """Where the history of choices about a table is."""
    return f"{SCHEMA}.{quoted(f'sfumato: history of {table}')}"
