"""Stores choices of data subjects in tables of their own: the key, a small number per column, and a history.

`PrivateDuckDb` calls it; the owner's tables stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import duckdb
import pyarrow as pa

from sfumato.errors import DataError, StatementError
from sfumato.gateway.engines.duckdb.quoting import quoted
from sfumato.gateway.engines.duckdb.small_results import fetch
from sfumato.gateway.people.choices import ChoiceAuthor, ChoiceRecord, demand_stable_positions

SCHEMA = "sfumato_choices"
_NEW_CHOICES = "sfumato: choices"
_NAMES = f'{SCHEMA}."sfumato: names"'
_ENTRIES = f'{SCHEMA}."sfumato: entries"'


class ChoiceTables:
    """Choices in the owner's database; all methods run in the caller's transaction."""

    def __init__(self, con: Any) -> None:
        self._con = con

    def columns(self, table: str) -> list[str]:
        """The columns that choices are stored for; none if nobody has chosen yet."""
        try:
            self._con.execute(f"SELECT * FROM {SCHEMA}.{quoted(table)} LIMIT 0")
        except duckdb.CatalogException:
            return []
        names = [str(column[0]) for column in self._con.description]
        self._con.fetchall()
        return names[1:]

    def keep_names(self, names: Sequence[str], *, write: bool) -> None:
        """Store the names of choices. Choices are stored by number, so new names come last and none may go away."""
        kept = self._kept_names()
        demand_stable_positions(names, kept)
        if write and len(names) > len(kept):
            self._con.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            self._con.execute(f"CREATE OR REPLACE TABLE {_NAMES} AS SELECT unnest(?) AS name", [list(names)])

    def _kept_names(self) -> list[str]:
        """The stored names, in the order of their numbers."""
        try:
            return [name for (name,) in self._con.execute(f"SELECT name FROM {_NAMES} ORDER BY rowid").fetchall()]
        except duckdb.CatalogException:
            return []

    def history(self, table: str, key: str) -> list[ChoiceRecord]:
        """The choices of the person with a key over time, the oldest first."""
        query = (
            "SELECT chosen_at, column_name, place, entered_by, login "
            f"FROM {_history(table)} JOIN {_ENTRIES} USING (entry) WHERE CAST(key AS VARCHAR) = ? ORDER BY entry"
        )
        try:
            found = self._con.execute(query, [key]).fetchall()
        except duckdb.CatalogException:
            return []
        # Place 0 means no choice.
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
        """Replace the choices of these people for the columns that the rows have, and keep those for other columns.

        Returns their keys in the type of the table.
        """
        names = [name for name in rows.column_names if name != key]
        if key not in rows.column_names or not names or set(names) - set(columns):
            raise DataError(f"choices for {table!r} have the column {key!r} and some of {list(columns)}; got others.")
        self._prepare(table, key, kind, names)
        self._con.register(_NEW_CHOICES, rows)
        try:
            return self._store(table, key, kind, names, entered)
        finally:
            with suppress(duckdb.Error):  # the transaction failed; the name is registered anew next time
                self._con.unregister(_NEW_CHOICES)

    def _store(self, table: str, key: str, kind: str, names: Sequence[str], entered: ChoiceAuthor) -> pa.Array:
        """Check, record and store the registered choices."""
        stored, key_name = f"{SCHEMA}.{quoted(table)}", quoted(key)
        new_choices = ", ".join([f"TRY_CAST({key_name} AS {kind}) AS {key_name}", *map(quoted, names)])
        new_choices = f"(SELECT {new_choices} FROM {quoted(_NEW_CHOICES)}) AS coming"
        self._demand_one_each(table, key_name, new_choices)
        # Before anything is written: TRY_CAST turns a key that does not fit into NULL, which the check for one key
        # each has refused already, but it also rounds, which only this check finds.
        self._demand_same_text(table, key_name, kind)
        self._record_history(table, key_name, names, new_choices, entered)
        updates = ", ".join(f"{quoted(name)} = coming.{quoted(name)}" for name in names)
        every = ", ".join([key_name, *map(quoted, names)])
        same = f"kept.{key_name} = coming.{key_name}"
        self._con.execute(f"UPDATE {stored} AS kept SET {updates} FROM {new_choices} WHERE {same}")
        self._con.execute(
            f"INSERT INTO {stored} ({every}) SELECT {every} FROM {new_choices} ANTI JOIN {stored} AS kept ON {same}"
        )
        return fetch(self._con, f"SELECT {key_name} FROM {new_choices}", []).column(0).combine_chunks()

    def _record_history(
        self, table: str, key_name: str, names: Sequence[str], new_choices: str, entered: ChoiceAuthor
    ) -> None:
        """Add to the history what differs from the stored choices; called before they change.

        Who entered choices when is stored once per column, because most choices come in batches.
        """
        now = datetime.now(UTC).replace(tzinfo=None)
        for name in names:
            entry = [now, name.removesuffix(".choice"), entered.by, entered.login]
            query = (
                f"INSERT INTO {_ENTRIES} SELECT coalesce(max(entry), 0) + 1, ?, ?, ?, ? FROM {_ENTRIES} RETURNING entry"
            )
            (number,) = self._con.execute(query, entry).fetchall()[0]
            new, old = (f"coalesce({side}.{quoted(name)}, 0)" for side in ("coming", "kept"))
            self._con.execute(
                f"INSERT INTO {_history(table)} SELECT {number}, coming.{key_name}, {new} "
                f"FROM {new_choices} LEFT JOIN {SCHEMA}.{quoted(table)} AS kept USING ({key_name}) WHERE {new} <> {old}"
            )

    def _demand_one_each(self, table: str, key_name: str, new_choices: str) -> None:
        """Refuse repeated and missing keys.

        A unique index on the table would take several times the space of all choices.
        """
        query = f"SELECT count(*), count(DISTINCT {key_name}) FROM {new_choices}"
        found = self._con.execute(query).fetchall()[0]
        if found[0] != found[1]:
            raise StatementError(f"choices for {table!r} have a key twice, or none.")

    def _demand_same_text(self, table: str, key_name: str, kind: str) -> None:
        """Refuse a key that changes when it is cast, such as 2.6 to 3: it would be another person's."""
        same = f"CAST(CAST({key_name} AS {kind}) AS VARCHAR) IS NOT DISTINCT FROM CAST({key_name} AS VARCHAR)"
        found = self._con.execute(f"SELECT count(*) FROM {quoted(_NEW_CHOICES)} WHERE NOT ({same})").fetchall()[0]
        if found[0]:
            raise StatementError(f"choices for {table!r} have keys in another format than the table.")

    def _prepare(self, table: str, key: str, kind: str, names: Sequence[str]) -> None:
        """Create the tables and columns that do not exist."""
        stored = f"{SCHEMA}.{quoted(table)}"
        self._con.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        self._con.execute(f"CREATE TABLE IF NOT EXISTS {stored} ({quoted(key)} {kind} NOT NULL)")
        self._con.execute(
            f"CREATE TABLE IF NOT EXISTS {_ENTRIES} "
            "(entry INTEGER, chosen_at TIMESTAMP, column_name VARCHAR, entered_by VARCHAR, login VARCHAR)"
        )
        self._con.execute(f"CREATE TABLE IF NOT EXISTS {_history(table)} (entry INTEGER, key {kind}, place SMALLINT)")
        for name in set(names) - set(self.columns(table)):
            self._con.execute(f"ALTER TABLE {stored} ADD COLUMN {quoted(name)} SMALLINT")


def _history(table: str) -> str:
    """The history table of a table, as SQL."""
    return f"{SCHEMA}.{quoted(f'sfumato: history of {table}')}"
