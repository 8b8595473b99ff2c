"""Sources for tests: raw and masked relations as temporary tables of one session, made anew for every shop."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
from sqlglot import exp

from sfumato.errors import SfumatoError
from sfumato.gateway.engines.entry_store import EntryStore
from sfumato.gateway.engines.failure_messages import error_for, failure_kind
from sfumato.gateway.engines.limits import Limits
from sfumato.gateway.engines.postgres.error_messages import error_for_state
from sfumato.gateway.engines.source import UNATTRIBUTED, Source
from sfumato.gateway.people.choices import ChoiceAuthor
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView
from tests.gateway.memory_store import MemoryStore
from tests.gateway.questions import TABLES
from tests.gateway.shops import CHOSEN, DAY, types

_KINDS = {"int": "integer", "text": "text"}
Rows = Mapping[str, Sequence[Mapping[str, Any]]]


class TemporarySource(Source):
    """The relations of one shop in a session that is somebody else's."""

    def __init__(self, rows: Rows) -> None:
        self.store = MemoryStore()
        self._made: set[str] = set()
        for table, found in rows.items():
            columns = [f'"{name}" {_KINDS[kind]}' for name, kind in TABLES[table].items()]
            columns += [f'"{name}.choice" smallint' for name in CHOSEN[table]]
            self._run(f'DROP TABLE IF EXISTS "raw {table}"')
            self._run(f'CREATE TEMP TABLE "raw {table}" ({", ".join(columns)})')
            values = ", ".join(f"({', '.join(map(_literal, row.values()))})" for row in found)
            self._run(f'INSERT INTO "raw {table}" VALUES {values}')

    def types(self, table: str) -> Mapping[str, ColumnType]:
        return types(self.engine).get(table, {})

    def entries(self, table: str) -> EntryStore:
        return self.store

    def ready(self, views: Sequence[PurposeView]) -> None:
        for view in views:
            if view.name not in self._made:
                raw = exp.table_(f"raw {view.table}", quoted=True)
                made = view.select(raw, self.engine, today=exp.cast(exp.Literal.string(str(DAY)), "date"))
                self._run(f'DROP TABLE IF EXISTS "{view.name}"')
                self._run(f'CREATE TEMP TABLE "{view.name}" AS {made.sql(self.engine, identify=True)}')
                self._made.add(view.name)

    def choose(self, table: str, choices: Sequence[pa.Table], entered: ChoiceAuthor = UNATTRIBUTED) -> None:
        raise TypeError("nobody chooses here")

    def close(self) -> None:
        """The session is somebody else's."""

    @abstractmethod
    def _run(self, statement: str) -> None:
        """One statement of the owner's."""


class TemporaryDuckDb(TemporarySource):
    engine = "duckdb"

    def __init__(self, con: duckdb.DuckDBPyConnection, rows: Rows) -> None:
        self.con = con
        super().__init__(rows)

    def ask(self, purpose: str, sql: str, parameters: Sequence[Any], limits: Limits) -> pa.Table:
        try:
            return self.con.sql(sql, params=list(parameters)).to_arrow_table()
        except duckdb.Error as error:
            failure: SfumatoError = error_for(failure_kind(error))
        raise failure

    def _run(self, statement: str) -> None:
        self.con.execute(statement)


class TemporaryPostgres(TemporarySource):
    engine = "postgres"

    def __init__(self, connection: psycopg.Connection[Any], rows: Rows) -> None:
        self.connection = connection
        super().__init__(rows)

    def ask(self, purpose: str, sql: str, parameters: Sequence[Any], limits: Limits) -> pa.Table:
        try:
            with psycopg.RawCursor(self.connection) as cursor:
                cursor.execute(sql.encode(), parameters)
                names, found = [column.name for column in cursor.description or ()], cursor.fetchall()
        except psycopg.Error as error:
            failure = error_for_state(error.sqlstate or "08001")
        else:
            columns = list(zip(*found, strict=True)) if found else [[] for _ in names]
            return pa.Table.from_arrays([pa.array(column) for column in columns], names=names)
        raise failure

    def _run(self, statement: str) -> None:
        self.connection.execute(statement.encode())


def _literal(value: Any) -> str:
    return "NULL" if value is None else f"'{value}'" if isinstance(value, str) else str(value)
