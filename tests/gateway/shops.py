"""A small random database with people's choices, a policy over it, and the masked relations it leads to."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from typing import Any

import duckdb
from sqlglot import exp

from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.sql.compiling import CompiledQuery, compile_query
from sfumato.gateway.sql.reading import parse_query
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.access_rules import access
from sfumato.gateway.views.views import PurposeView
from tests.gateway.questions import NAMES, TABLES, TOWNS, WARDS

DAY = date(2026, 11, 15)
NOW = datetime(2026, 11, 15, 10, tzinfo=UTC)
PURPOSE = "Marketing"
CHOICES = {
    "yes": {"allowed": ["General"]},
    "weaker": {"allowed": ["General"], "conditional": ["Marketing"]},
    "no": {"prohibited": ["Marketing"]},
}
FORMS = {
    "income": {"transform": "bucket", "width": 10},
    "age": {"transform": "bucket", "width": 10},
    "cost": {"transform": "bucket", "width": 25},
    "name": {"transform": "first_letter"},
    "town": {"transform": "first_letter"},
}
CHOSEN = {"person": ["income", "age", "name", "town"], "visit": ["cost", "ward"]}
_CHOICES = [None, 1, 1, 2, 2, 2, 2, 3]
_NUMBERS = [0, 3, 5, 12, 17, 20, 25, 29, 30, 100, None]


@cache
def policy(row_policy: str = "mask_cell") -> Policy:
    tables: dict[str, Any] = {}
    for table, names in CHOSEN.items():
        columns = {name: {"by_choice": True, "conditions": [FORMS[name]] if name in FORMS else []} for name in names}
        key = "id" if table == "person" else "visit"
        columns = {**columns, **{name: {} for name in TABLES[table] if name not in columns}}
        tables[table] = {"key": key, "allowed": ["General"], "row_policy": row_policy, "columns": columns}
    purposes = {"General": ["Admin", "Marketing"]}
    return Policy.of({"name": "shop", "purposes": purposes, "choices": CHOICES, "tables": tables})


@cache
def types(engine: str = "duckdb") -> dict[str, dict[str, ColumnType]]:
    read = ColumnType.of_duckdb if engine == "duckdb" else ColumnType.of_postgres
    names = {"int": "INTEGER", "text": "VARCHAR"} if engine == "duckdb" else {"int": "integer", "text": "text"}
    return {table: {name: read(names[kind]) for name, kind in columns.items()} for table, columns in TABLES.items()}


@cache
def purpose_view(row_policy: str, table: str, referencing: frozenset[str] | None, engine: str) -> PurposeView:
    return PurposeView.of(policy(row_policy), table, PURPOSE, types(engine)[table], day=DAY, referencing=referencing)


@cache
def masking_sql(row_policy: str, table: str, raw: exp.Table, engine: str) -> str:
    """The SELECT of a masked relation from the table `raw`."""
    view = purpose_view(row_policy, table, frozenset(), engine)
    made = view.select(raw, engine, today=exp.Literal.string(str(DAY)))
    return made.sql(engine, identify=engine == "postgres")


@lru_cache(maxsize=2000)
def compiled(row_policy: str, text: str, engine: str) -> CompiledQuery:
    """A compiled question; the rows of a shop do not matter to it."""
    return compile_query(
        parse_query(text, engine).tree,
        engine,
        lambda table, referencing: purpose_view(row_policy, table, referencing, engine) if table in TABLES else None,
        tuple(TABLES),
    )


@dataclass
class Shop:
    """Rows of both tables, at most so many, each with the choice of every column that people choose about."""

    seed: int
    row_policy: str = "mask_cell"
    most: int = 4
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.policy = policy(self.row_policy)
        self.rows = {
            "person": [self._person(place) for place in range(self.random.randint(1, self.most))],
            "visit": [self._visit(place) for place in range(self.random.randint(1, self.most))],
        }

    def _person(self, place: int) -> dict[str, Any]:
        pick = self.random.choice
        row = {
            "id": place,
            "age": pick(_NUMBERS),
            "income": pick(_NUMBERS),
            "name": pick([*NAMES, None]),
            "town": pick(TOWNS),
        }
        return row | {f"{name}.choice": pick(_CHOICES) for name in CHOSEN["person"]}

    def _visit(self, place: int) -> dict[str, Any]:
        pick = self.random.choice
        row = {"visit": place, "person": pick([0, 1, 2]), "cost": pick(_NUMBERS), "ward": pick([*WARDS, None])}
        return row | {f"{name}.choice": pick(_CHOICES) for name in CHOSEN["visit"]}

    def view(self, table: str, referencing: frozenset[str] | None = frozenset(), engine: str = "duckdb") -> PurposeView:
        return purpose_view(self.row_policy, table, referencing, engine)

    def compiled(self, text: str, engine: str = "duckdb") -> CompiledQuery:
        return compiled(self.row_policy, text, engine)

    def masked(self, con: duckdb.DuckDBPyConnection, rows: dict[str, list[dict[str, Any]]] | None = None) -> None:
        """Put the masked relations into a database."""
        for table, found in (rows or self.rows).items():
            load(con, f"raw.{table}", found)
            made = masking_sql(self.row_policy, table, exp.table_(table, db="raw", quoted=True), "duckdb")
            con.execute(f'CREATE OR REPLACE TABLE main."{table}" AS {made}')

    def seen(self, table: str, row: dict[str, Any], column: str) -> Access:
        """What is seen of one cell, by the plain definition."""
        heard = self.view(table).by_name.get(column)
        return Access.HIDDEN if heard is None else access(heard.rules, row, row.get(f"{column}.choice") or 0)

    def world(self, chance: random.Random) -> dict[str, list[dict[str, Any]]]:
        """The same rows with every hidden value replaced by any, and every weaker one by any that it may be."""
        return {table: [self._other(table, row, chance) for row in found] for table, found in self.rows.items()}

    def _other(self, table: str, row: dict[str, Any], chance: random.Random) -> dict[str, Any]:
        made = dict(row)
        for column in CHOSEN[table]:
            seen = self.seen(table, row, column)
            texts = {"name": NAMES, "town": TOWNS, "ward": WARDS}.get(column)
            if seen is Access.CONDITIONAL and column not in FORMS:
                seen = Access.HIDDEN
            if seen is Access.HIDDEN:
                made[column] = chance.choice([*(texts or _NUMBERS), None])
            elif seen is Access.CONDITIONAL and row[column] is not None:
                if texts is not None:
                    made[column] = chance.choice([text for text in texts if text[0] == row[column][0]])
                else:
                    low = row[column] // FORMS[column]["width"] * FORMS[column]["width"]
                    made[column] = low + chance.randrange(FORMS[column]["width"])
        return made


def load(con: duckdb.DuckDBPyConnection, name: str, rows: list[dict[str, Any]]) -> None:
    schema, table = name.split(".")
    kinds = {"int": "INTEGER", "text": "VARCHAR"}
    columns = [f'"{column}" {kinds[kind]}' for column, kind in TABLES[table].items()]
    columns += [f'"{column}.choice" UTINYINT' for column in CHOSEN[table]]
    con.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    con.execute(f'CREATE OR REPLACE TABLE {schema}."{table}" ({", ".join(columns)})')
    insert(con, f'{schema}."{table}"', [list(row.values()) for row in rows])


def insert(con: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows by one statement; one for every row takes ten times as long."""
    if rows:
        row = f"({', '.join('?' for _ in rows[0])})"
        values = ", ".join([row] * len(rows))
        con.execute(f"INSERT INTO {table} VALUES {values}", [cell for one in rows for cell in one])
