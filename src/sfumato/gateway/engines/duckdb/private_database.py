"""The private side of the DuckDB engine: the owner's database or files, with the choices for every table.

`EmbeddedSource` reads raw rows from it to build masked relations; the owner changes tables through it.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any
from weakref import WeakValueDictionary

import duckdb
import pyarrow as pa
from sqlglot import exp

from sfumato.errors import DataError, LockedError, PolicyError, nearest
from sfumato.gateway.engines.constraints import Constraints
from sfumato.gateway.engines.duckdb import change_log, choice_tables, commits
from sfumato.gateway.engines.duckdb.change_log import ChangeLog
from sfumato.gateway.engines.duckdb.choice_tables import ChoiceTables
from sfumato.gateway.engines.duckdb.connection_lock import lock_of
from sfumato.gateway.engines.duckdb.error_messages import hiding_engine_messages, read_and_close
from sfumato.gateway.engines.duckdb.ledger_entries import DuckDbEntries, open_ledger_beside
from sfumato.gateway.engines.duckdb.owner_statements import returning_keys
from sfumato.gateway.engines.duckdb.quoting import quoted
from sfumato.gateway.engines.duckdb.raw_rows import RawRows, padded_to_power_of_two, table_named
from sfumato.gateway.engines.duckdb.small_results import fetch
from sfumato.gateway.engines.duckdb.source_files import SourceFile
from sfumato.gateway.engines.entry_store import SCHEMA as ACCOUNTS
from sfumato.gateway.engines.entry_store import EntryStore
from sfumato.gateway.people.choices import ChoiceAuthor, ChoiceRecord
from sfumato.runtime.file_identity import identity
from sfumato.runtime.private_folders import PrivateFolder

_SETTINGS: dict[str, Any] = {
    "arrow_lossless_conversion": "true",  # HUGEINT, UUID and BIT values keep their types on the way to a worker
    "python_enable_replacements": "false",
}
_BATCH_ROWS = 1 << 17
"""Rows per batch of a stream."""
_MAX_PREPARED = 256
"""Parsed statements that are kept."""
_spill_folders: WeakValueDictionary[tuple[Path, bool], PrivateFolder] = WeakValueDictionary()
"""The folders into which open databases spill, by file."""


class PrivateDuckDb:
    """Reads the owner's tables, stores choices of data subjects, and knows what changed since when.

    `source` is a database file, a connection of the owner, or None if there are only files. `keys` names the column of
    every table that identifies people, `choices` the columns about which they choose themselves, `files` the tables
    that are Parquet or CSV files. Changes made through `change` and `set_choices` are tracked, and so are changed
    files; after any other change the owner calls `touch`.

    >>> private = PrivateDuckDb(keys={"people": "id"}, choices={"people": ["income"]})
    >>> private.change("people", "CREATE TABLE people AS SELECT 1 AS id, 56000 AS income")
    >>> private.set_choices("people", pa.table({"id": [1], "income.choice": [2]}))
    >>> query = exp.select("*").from_(private.raw("people")).sql("duckdb")
    >>> private.stream(query).read_all().to_pylist()
    [{'id': 1, 'income': 56000, 'income.choice': 2}]
    >>> private.close()
    """

    def __init__(
        self,
        source: str | Path | duckdb.DuckDBPyConnection | None = None,
        *,
        keys: Mapping[str, str],
        choices: Mapping[str, Sequence[str]] | None = None,
        files: Mapping[str, str | Path | SourceFile] | None = None,
        read_only: bool = False,
    ) -> None:
        self._keys = dict(keys)
        self._chosen = {name: [f"{column}.choice" for column in given] for name, given in (choices or {}).items()}
        self._files = {name: SourceFile.of(given) for name, given in (files or {}).items()}
        self._path = Path(source).resolve() if isinstance(source, str | Path) else None
        self._owner_connection = source if isinstance(source, duckdb.DuckDBPyConnection) else None
        self._read_only = read_only
        self._lock = lock_of(self._owner_connection)
        self._choice_names: tuple[str, ...] = ()
        self._spill: PrivateFolder | None = None
        self._open()

    def tables(self) -> list[str]:
        """The names of all tables, views and files; those in the schema main by their bare name."""
        catalogue = "FROM {}() WHERE NOT internal AND database_name = current_database()"
        relations = self._rows(
            f"SELECT schema_name, table_name {catalogue.format('duckdb_tables')} "
            f"UNION ALL SELECT schema_name, view_name {catalogue.format('duckdb_views')}"
        )
        ours = (change_log.SCHEMA, choice_tables.SCHEMA, ACCOUNTS)
        names = {name if schema == "main" else f"{schema}.{name}" for schema, name in relations if schema not in ours}
        return sorted(names | set(self._files))

    def demand_there(self, table: str) -> None:
        """Refuse a table that the database does not have; names are compared without regard to case."""
        known = self.tables()
        if table.lower().removeprefix("main.") not in {name.lower() for name in known}:
            hint = nearest(table, known) if known else "it has none."
            raise PolicyError(f"the database has no table {table!r}; {hint}")

    def types(self, table: str) -> dict[str, str]:
        """The columns of a table and their types, as DuckDB spells them."""
        columns = self._rows(f"DESCRIBE SELECT * FROM {self._relation(table).sql('duckdb')}")
        return {str(row[0]): str(row[1]) for row in columns}

    def has_guessed_types(self, table: str) -> bool:
        """Whether the types of a table are guessed from its values, as for a CSV file without declared types."""
        return table in self._files and self._files[table].has_guessed_types

    def constraints(self, table: str) -> Constraints:
        """The constraints and unique indexes of a table; none are known of files and views."""
        if table in self._files:
            return Constraints()
        given = self._table(table)
        schema, name = (exp.Literal.string(part.lower()).sql("duckdb") for part in (given.db or "main", given.name))
        here = f"database_name = current_database() AND lower(schema_name) = {schema} AND lower(table_name) = {name}"
        declared = self._rows(f"SELECT constraint_type, constraint_column_names FROM duckdb_constraints() WHERE {here}")
        indexed = self._rows(f"SELECT expressions FROM duckdb_indexes() WHERE is_unique AND {here}")
        required = {names[0] for kind, names in declared if kind == "NOT NULL"}
        # "PRIMARY KEY" sorts before "UNIQUE", so the primary key comes first.
        keys = sorted((kind, tuple(names)) for kind, names in declared if kind in ("PRIMARY KEY", "UNIQUE"))
        # The expression of an index is SQL text. Any column whose name shares a word with it counts as distinct,
        # which is more columns than necessary and never fewer.
        words = {word for (text,) in indexed for word in re.findall(r"\w+", str(text).lower())}
        distinct = {one for _, names in keys for one in names}
        distinct |= {one for one in self.types(table) if words.intersection(re.findall(r"\w+", one.lower()))}
        return Constraints(frozenset(required), tuple(names for _, names in keys), frozenset(distinct))

    def ledger_name(self, table: str) -> str:
        """The name of a table's data in their ledger."""
        if table in self._files:
            return self._files[table].path.name
        given = self._table(table)
        return f"{given.db or 'main'}.{given.name}".lower()

    def entries(self, table: str) -> EntryStore:
        """The ledger of answered aggregates of a table: in the database, or beside the file of the table."""
        if table in self._files:
            path = self._files[table].path
            beside = path.with_name(f"{path.name}.ledger")
            return DuckDbEntries(str(beside), lambda: open_ledger_beside(beside, _SETTINGS))
        if self._read_only:
            raise DataError(f"table {table!r} is open for reading only, and aggregates of it need a ledger beside it.")
        location = str(self._path) if self._path is not None else f"memory {id(self._con)}"
        return DuckDbEntries(location, self._con.cursor)

    def key(self, table: str) -> str:
        """The column that identifies people."""
        if table not in self._keys:
            raise PolicyError(f"the key of table {table!r} is not declared; {nearest(table, self._keys)}")
        return self._keys[table]

    def raw(self, table: str) -> exp.Expression:
        """The rows of a table with the choices for each, as a relation to select from."""
        return self._raw_rows(table).query()

    def rows_with_keys(self, table: str, kind: str, keys: pa.Array, select: str) -> pa.Table:
        """Run a SELECT from `"raw"` on the rows with these keys; `kind` is their type.

        The statement is written and parsed once, because that takes longer than finding a few rows.
        """
        given = padded_to_power_of_two(keys.to_pylist())
        with self._lock, hiding_engine_messages("the private rows cannot be read"):
            rows = self._raw_rows(table)
            # The number of keys is padded to a power of two, so that few statements serve all numbers.
            statement = (table, kind, select, tuple(name for name, there in rows.chosen.items() if there), len(given))
            if statement not in self._statements:
                raw = exp.select("*").from_(rows.rows_with_keys(kind, len(given))).sql("duckdb", identify=True)
                text = f'WITH "raw" AS NOT MATERIALIZED ({raw}) {select}'
                self._statements[statement] = self._con.extract_statements(text)[0]
                if len(self._statements) > _MAX_PREPARED:
                    self._statements.popitem(last=False)
            return fetch(self._con, self._statements[statement], given)

    def stream(self, sql: str) -> pa.RecordBatchReader:
        """The rows of a query in batches, on a cursor of their own if the database was opened here.

        On a connection of the owner they are read at once, because the owner's next statement would end a stream.
        """
        with self._lock, hiding_engine_messages("the private rows cannot be read"):
            if self._owner_connection is not None:
                return self._con.sql(sql).to_arrow_table().to_reader()
            con = self._con.cursor()
            reader = con.sql(sql).to_arrow_reader(_BATCH_ROWS)
        return pa.RecordBatchReader.from_batches(reader.schema, read_and_close(reader, con))

    def set_choices(self, table: str, *choices: pa.Table, entered: ChoiceAuthor | None = None) -> None:
        """Store choices: every table has the key, and the numbers of choices in columns named `"<column>.choice"`.

        Numbers are positions in the policy, from 1; 0 and NULL mean no choice. Changes are recorded in the history,
        with who entered them.
        """
        key = self.key(table)
        kind = self.types(table)[key]
        with self._transaction(table):
            for rows in choices:
                columns = self._chosen.get(table, [])
                self._log.add(table, self._choices.set(table, key, kind, rows, columns, entered or ChoiceAuthor()))

    def choice_history(self, table: str, key: str) -> list[ChoiceRecord]:
        """The choices of the person with a key over time, the oldest first."""
        with self._lock, hiding_engine_messages("the history of choices cannot be read"):
            return self._choices.history(table, key)

    def change(
        self, table: str, statement: str | None = None, *, rows: pa.Table | None = None, gone: pa.Array | None = None
    ) -> None:
        """Change a table by a statement, or by keys of rows to delete and rows to insert.

        An inserted row replaces the one with the same key. Afterwards the changed rows are known, unless the statement
        is something else than a plain INSERT, UPDATE or DELETE.
        """
        if statement is not None:
            with self._transaction(table):
                keys = self._execute_returning_keys(table, statement)
                self._log.add(table, keys, related=self._keys)
        if rows is not None or gone is not None:
            self._replace_rows(table, rows, gone)

    def touch(self, table: str) -> None:
        """Report that a table was changed in another way."""
        self.key(table)
        with self._transaction(table):
            self._log.add(table, None)

    def keep_names(self, names: Sequence[str], *, write: bool = True) -> None:
        """Store the names of choices, whose numbers are stored; refused if a stored number would get another name.

        Without `write` they are only checked.
        """
        if tuple(names) == self._choice_names or not names:
            return
        with self._lock, hiding_engine_messages("the names of choices cannot be stored"):
            self._choices.keep_names(names, write=write and not self._read_only)
            self._choice_names = tuple(names) if write else self._choice_names

    def epoch(self, table: str) -> tuple[Any, ...]:
        """The state of a table; equal to an earlier one only if nothing has changed since."""
        with self._lock:
            self._reopen_if_replaced()
            # A read-only database cannot change except by being replaced, which its identity shows.
            change_number = 0 if self._read_only else self._state(table)[0]
            return identity(self._files[table].path) if table in self._files else self._identity, change_number

    def columns_epoch(self, table: str) -> tuple[Any, ...]:
        """The state of a table's columns; equal to an earlier one only if they are the same, even if rows changed."""
        with self._lock:
            whole, _ = self.epoch(table)
            return whole, 0 if self._read_only else self._state(table)[1]

    def changed(self, table: str, since: tuple[Any, ...]) -> pa.Array | None:
        """The keys of rows that may have changed since an epoch; None if unknown or too many."""
        with self._lock:
            if self._read_only or self.epoch(table)[0] != since[0]:
                return None
            return self._log.keys(table, since[1], self._state(table))

    def close(self) -> None:
        """Close the database if it was opened here; a connection of the owner stays open."""
        if self._owner_connection is None:
            self._con.close()
            self._spill = None

    def __enter__(self) -> PrivateDuckDb:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _open(self) -> None:
        """Open the database and reset all caches."""
        self._identity: tuple[int, ...] | None = None
        self._choice_names = ()
        self._statements: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._states: dict[str, tuple[int, int]] = {}
        self._states_of = commits.commit_count()
        self._con: Any = self._owner_connection
        if self._owner_connection is None:
            self._spill = spill = _spill_folder(self._path, read_only=self._read_only)
            self._con = _connect(self._path, spill.path, read_only=self._read_only)
        if self._path is not None:
            self._identity = identity(self._path)
        self._log, self._choices = ChangeLog(self._con), ChoiceTables(self._con)
        if not self._read_only:
            self._log.prepare()

    def _reopen_if_replaced(self) -> None:
        """Open the database again if its file was replaced, which can happen only if it was opened read-only."""
        if self._read_only and self._path is not None and identity(self._path) != self._identity:
            self.close()
            self._open()

    def _raw_rows(self, table: str) -> RawRows:
        """The query for the rows of a table with those choices that are stored."""
        wanted = self._chosen.get(table, [])
        with self._lock:
            there = self._choices.columns(table) if wanted else []
        return RawRows(
            table=self._relation(table),
            key=self.key(table),
            choices=table_named(table, choice_tables.SCHEMA),
            chosen={name: name in there for name in wanted},
        )

    def _state(self, table: str) -> tuple[int, int]:
        """The change log's state of a table, cached until this process changes something."""
        now = commits.commit_count()
        if self._states_of != now:
            self._states, self._states_of = {}, now
        if table not in self._states:
            self._states[table] = self._log.state(table)
        return self._states[table]

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        """All rows of a query on the catalogue."""
        with self._lock, hiding_engine_messages("the private tables cannot be read"):
            rows: list[tuple[Any, ...]] = self._con.execute(sql).fetchall()
            return rows

    def _execute_returning_keys(self, table: str, statement: str) -> pa.Array | None:
        """Execute a statement of the owner and return the keys it changed; None if unknown."""
        returning = returning_keys(statement, table, self.key(table))
        if returning is None:
            self._con.execute(statement)
            return None
        changed = self._con.sql(returning)
        return changed.to_arrow_table().column(0).combine_chunks()

    def _replace_rows(self, table: str, rows: pa.Table | None, gone: pa.Array | None) -> None:
        """Delete the rows with these keys and insert the new ones."""
        key = self.key(table)
        parts = ([] if gone is None else [gone]) + ([] if rows is None else rows.column(key).chunks)
        keys = pa.chunked_array(parts).combine_chunks()
        at = self._relation(table).sql("duckdb")
        with self._transaction(table, rows, keys):
            self._con.execute(f'DELETE FROM {at} WHERE {quoted(key)} IN (SELECT key FROM "sfumato: keys")')
            if rows is not None:
                self._con.execute(f'INSERT INTO {at} BY NAME SELECT * FROM "sfumato: rows"')
            self._log.add(table, keys, related=self._keys)

    @contextmanager
    def _transaction(self, table: str, rows: pa.Table | None = None, keys: pa.Array | None = None) -> Iterator[None]:
        """One transaction for a change and for its record in the change log."""
        if self._read_only:
            raise DataError(f"table {table!r} is open for reading only.")
        seen = {"sfumato: rows": rows, "sfumato: keys": None if keys is None else pa.table({"key": keys})}
        given = {name: table for name, table in seen.items() if table is not None}
        with self._lock, hiding_engine_messages(f"table {table!r} was not changed"):
            self._log.transaction_begins()
            self._con.execute("BEGIN TRANSACTION")
            try:
                for name, frame in given.items():
                    self._con.register(name, frame)
                yield
                self._con.execute("COMMIT")
                self._log.transaction_committed()
            except BaseException:
                with suppress(duckdb.Error):
                    self._con.execute("ROLLBACK")
                raise
            finally:
                # Also after a failure: whether a failed COMMIT took
                # effect is unknown, so cached states are read again.
                commits.record_commit()
                for name in given:
                    self._con.unregister(name)

    def _relation(self, table: str) -> exp.Table | exp.Subquery:
        """A table, or the relation that reads a file."""
        if table in self._files:
            return self._files[table].relation()
        return self._table(table)

    @staticmethod
    def _table(table: str) -> exp.Table:
        """A table by its name, with its schema if it has one."""
        schema, _, name = table.rpartition(".")
        return table_named(name, schema or None)


def _spill_folder(path: Path | None, *, read_only: bool) -> PrivateFolder:
    """The folder for rows that do not fit into memory: beside a database that is written to, else temporary.

    DuckDB's own choice could be read by others. Opening the same file again in this process gives the same folder,
    because DuckDB demands equal settings; it is removed when the last connection closes.
    """
    if path is None:
        return PrivateFolder()
    opened = (path, read_only)
    folder = _spill_folders.get(opened) or PrivateFolder(None if read_only or not path.parent.is_dir() else path.parent)
    _spill_folders[opened] = folder
    return folder


def _connect(path: Path | None, spill: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open a database; only the kind of problem is read from DuckDB's message, which can quote values."""
    config = {**_SETTINGS, "temp_directory": str(spill)}
    with hiding_engine_messages("the private database cannot be opened"):
        try:
            return duckdb.connect(":memory:" if path is None else str(path), read_only=read_only, config=config)
        except duckdb.IOException as error:
            if path is None:
                raise
            failure = _open_error(path, str(error))
    raise failure


def _open_error(path: Path, message: str) -> DataError:
    """Why a file cannot be opened."""
    if "lock on file" in message:
        return LockedError(
            f"{path.name!r} is open in another process; stop it, or start `sfumato gateway serve`, which commands "
            "share."
        )
    if "not a valid DuckDB database" in message:
        return DataError(f"{path.name!r} is not a DuckDB database.")
    if not path.exists():
        return DataError(f"there is no database {path.name!r}.")
    return DataError(f"{path.name!r} cannot be opened; is it a DuckDB database that you may read and write?")
