"""Databases in memory for tests, and a source of them: raw and masked relations in two databases of this process."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from itertools import count
from threading import Lock
from typing import Any

import duckdb
import pyarrow as pa
from sqlglot import exp

from sfumato.gateway.engines.constraints import Constraints
from sfumato.gateway.engines.entry_store import EntryStore
from sfumato.gateway.engines.failure_messages import error_for, failure_kind
from sfumato.gateway.engines.limits import Limits
from sfumato.gateway.engines.source import UNATTRIBUTED, Source
from sfumato.gateway.people.choices import ChoiceAuthor
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView
from tests.gateway import kabir
from tests.gateway.memory_store import MemoryStore

DAY = date(2026, 11, 16)
_NUMBERS = count()


@cache
def _instance() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config={"threads": 1})


def memory_database() -> duckdb.DuckDBPyConnection:
    """A connection to an empty database of its own, which is gone with the connection.

    All of them are attached to one instance of DuckDB: starting an instance takes thirty milliseconds, attaching one.
    """
    con, name = _instance().cursor(), f"database_{next(_NUMBERS)}"
    con.execute(f"ATTACH ':memory:' AS {name}")
    con.execute(f"USE {name}")
    weakref.finalize(con, _detach, name)
    return con


def _detach(name: str) -> None:
    _instance().cursor().execute(f"DETACH {name}")


def fill(con: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows by one statement, which is many times faster than one statement a row."""
    if rows:
        places = ", ".join(f"({', '.join('?' for _ in row)})" for row in rows)
        con.execute(f"INSERT INTO {table} VALUES {places}", [value for row in rows for value in row])


class MemorySource(Source):
    engine = "duckdb"

    def __init__(self, raw: duckdb.DuckDBPyConnection, columns: Mapping[str, Mapping[str, str]]) -> None:
        self.raw = raw
        self.columns = columns
        self.asked: list[str] = []
        self.store = MemoryStore()
        self.seen = memory_database()
        self.seen_name = self.seen.execute("SELECT current_database()").fetchall()[0][0]
        self.readying = Lock()
        self.selects: dict[str, tuple[PurposeView, str]] = {}

    def types(self, table: str) -> Mapping[str, ColumnType]:
        return {name: ColumnType.of_duckdb(kind) for name, kind in self.columns.get(table, {}).items()}

    def constraints(self, table: str) -> Constraints:
        found = self.raw.execute(
            "SELECT constraint_type, constraint_column_names FROM duckdb_constraints() "
            "WHERE database_name = current_database() AND table_name = ?",
            [table],
        ).fetchall()
        required = frozenset(name for kind, (name, *_) in found if kind == "NOT NULL")
        keys = sorted((kind, tuple(names)) for kind, names in found if kind in ("PRIMARY KEY", "UNIQUE"))
        return Constraints(
            required, tuple(names for _, names in keys), frozenset(one for _, names in keys for one in names)
        )

    def entries(self, table: str) -> EntryStore:
        return self.store

    def ready(self, views: Sequence[PurposeView]) -> None:
        """Compute masked relations anew, because a test may have changed the rows.

        One statement does it: `raw` comes from `memory_database`, so both databases are attached to one instance.
        """
        with self.readying:
            for view in views:
                target = f'{self.seen_name}.main."{view.name}"'
                self.raw.execute(f"CREATE OR REPLACE TABLE {target} AS {self._select(view)}")

    def _select(self, view: PurposeView) -> str:
        """The text that computes a masked relation; it is made once for every view."""
        known, text = self.selects.get(view.name, (None, ""))
        if known is not view:
            day = exp.cast(exp.Literal.string(str(DAY)), "date")
            text = view.select(exp.to_table(view.table), "duckdb", today=day).sql("duckdb")
            self.selects[view.name] = (view, text)
        return text

    def ask(self, purpose: str, sql: str, parameters: Sequence[Any], limits: Limits) -> pa.Table:
        self.asked.append(sql)
        cursor = self.seen.cursor()  # one for every thread; it starts in the first database of the instance
        cursor.execute(f"USE {self.seen_name}")
        try:
            return cursor.sql(sql, params=list(parameters)).to_arrow_table()
        except duckdb.Error as error:
            failure = error_for(failure_kind(error))
        raise failure

    def choose(self, table: str, choices: Sequence[pa.Table], entered: ChoiceAuthor = UNATTRIBUTED) -> None:
        for rows in choices:
            key, name = rows.column_names
            for person, place in zip(*rows.to_pydict().values(), strict=True):
                self.raw.execute(f'UPDATE "{table}" SET "{name}" = ? WHERE "{key}" = ?', [place, person])

    def close(self) -> None:
        self.raw.close()


def customers(choices: dict[int, tuple[str, ...]] = kabir.TABLE_3_2) -> MemorySource:
    """The customers of the thesis with what they chose."""
    raw = memory_database()
    chosen = ", ".join(f'"{name}.choice" UTINYINT' for name in kabir.COLUMNS)
    raw.execute(f"CREATE TABLE customer (id INT, name VARCHAR, age INT, address VARCHAR, income INT, {chosen})")
    fill(raw, "customer", [[*row, *kabir.chosen(choices)[row[0]].values()] for row in kabir.CUSTOMERS])
    kinds = dict.fromkeys(("id", "age", "income"), "INTEGER") | dict.fromkeys(("name", "address"), "VARCHAR")
    return MemorySource(raw, {"customer": {name: kinds[name] for name in ("id", *kabir.COLUMNS)}})
