"""A source for tests: raw and masked relations as temporary tables of one PostgreSQL session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
import pyarrow as pa
from sqlglot import exp

from sfumato.gateway.limits import Limits
from sfumato.gateway.postgres.refusals import refusal
from sfumato.gateway.source import Source
from sfumato.gateway.statistics.ledger import EntryStore, MemoryStore
from sfumato.gateway.views import PurposeView
from sfumato.transforms.column_types import ColumnType
from tests.gateway.questions import TABLES
from tests.gateway.shops import CHOSEN, DAY, types

_KINDS = {"int": "integer", "text": "text"}


class TemporarySource(Source):
    engine = "postgres"

    def __init__(self, connection: psycopg.Connection[Any], rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        self.connection, self.rows = connection, rows
        self.store = MemoryStore()
        self._made: set[str] = set()
        for table, found in rows.items():
            self._load(table, found)

    def types(self, table: str) -> Mapping[str, ColumnType]:
        return types("postgres").get(table, {})

    def entries(self, table: str) -> EntryStore:
        return self.store

    def ready(self, views: Sequence[PurposeView]) -> None:
        for view in views:
            if view.name not in self._made:
                raw = exp.table_(f"raw {view.table}", quoted=True)
                made = view.select(raw, "postgres", today=exp.cast(exp.Literal.string(str(DAY)), "date"))
                self._run(f'DROP TABLE IF EXISTS pg_temp."{view.name}"')
                self._run(f'CREATE TEMP TABLE "{view.name}" AS {made.sql("postgres", identify=True)}')
                self._made.add(view.name)

    def ask(self, purpose: str, sql: str, parameters: Sequence[Any], limits: Limits) -> pa.Table:
        try:
            with psycopg.RawCursor(self.connection) as cursor:
                cursor.execute(sql.encode(), parameters)
                names, found = [column.name for column in cursor.description or ()], cursor.fetchall()
        except psycopg.Error as error:
            failure = refusal(error.sqlstate or "08001")
        else:
            columns = list(zip(*found, strict=True)) if found else [[] for _ in names]
            return pa.Table.from_arrays([pa.array(column) for column in columns], names=names)
        raise failure

    def choose(self, table: str, choices: Sequence[pa.Table]) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """The session is somebody else's."""

    def _load(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        columns = [f'"{name}" {_KINDS[kind]}' for name, kind in TABLES[table].items()]
        columns += [f'"{name}.choice" smallint' for name in CHOSEN[table]]
        self._run(f'DROP TABLE IF EXISTS pg_temp."raw {table}"')
        self._run(f'CREATE TEMP TABLE "raw {table}" ({", ".join(columns)})')
        with self.connection.cursor() as cursor:
            places = ", ".join("%s" for _ in columns)
            cursor.executemany(
                f'INSERT INTO "raw {table}" VALUES ({places})'.encode(), [list(row.values()) for row in rows]
            )

    def _run(self, statement: str) -> None:
        self.connection.execute(statement.encode())
