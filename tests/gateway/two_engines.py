"""The same shop in DuckDB and in PostgreSQL, to ask both the same question."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.answers.row_order import sorted_by_values
from sfumato.gateway.sql.compiling import CompiledQuery
from tests.gateway.questions import TABLES
from tests.gateway.shops import CHOSEN, Shop, load, masking_sql
from tests.oracles.certain_answers import covers

_KINDS = {"int": "integer", "text": "text"}
FAILED = "failed"
_NOTHING = 1e-12


@dataclass(frozen=True)
class Told:
    """What became of a question: refused by the compiler, or the rows of both engines."""

    text: str
    made: CompiledQuery | None
    rows: list[tuple[Any, ...]] | str
    others: list[tuple[Any, ...]] | str

    @property
    def refused(self) -> bool:
        """Whether it was not understood, or an engine could not answer it, on both sides."""
        return isinstance(self.rows, str) and self.rows == self.others

    @property
    def agree(self) -> bool:
        """Whether both sides refuse, or have the same rows in the same order."""
        return same(self.rows, self.others)


class TwoEngines:
    """Two databases, in which one shop at a time is open."""

    def __init__(self, conninfo: str) -> None:
        self.duckdb = duckdb.connect(config={"threads": 1})
        self.postgres = psycopg.connect(conninfo, autocommit=True)

    def close(self) -> None:
        self.duckdb.close()
        self.postgres.close()

    def open(self, shop: Shop, mixed: random.Random | None = None) -> None:
        """Put the masked relations of a shop into both, their rows as they are or `mixed`."""
        given = shop.rows if mixed is None else shuffled(shop.rows, mixed)
        shop.masked(self.duckdb, given)
        for table, rows in given.items():
            self._load(table, rows)
            made = masking_sql(shop.row_policy, table, exp.table_(f"raw {table}", quoted=True), "postgres")
            self.postgres.execute(f'DROP TABLE IF EXISTS pg_temp."{table}"')
            self.postgres.execute(f'CREATE TEMP TABLE "{table}" AS {made}')

    def _load(self, table: str, rows: list[dict[str, Any]]) -> None:
        columns = [f'"{name}" {_KINDS[kind]}' for name, kind in TABLES[table].items()]
        columns += [f'"{name}.choice" smallint' for name in CHOSEN[table]]
        self.postgres.execute(f'DROP TABLE IF EXISTS pg_temp."raw {table}"')
        self.postgres.execute(f'CREATE TEMP TABLE "raw {table}" ({", ".join(columns)})')
        with self.postgres.cursor() as cursor:
            cursor.executemany(
                f'INSERT INTO "raw {table}" VALUES ({", ".join("%s" for _ in columns)})',
                [list(row.values()) for row in rows],
            )

    def ask(self, shop: Shop, text: str) -> Told:
        """One question to both."""
        made, rows = self._asked(shop, text, "duckdb")
        _, others = self._asked(shop, text, "postgres")
        return Told(text, made, rows, others)

    def _asked(self, shop: Shop, text: str, engine: str) -> tuple[CompiledQuery | None, list[tuple[Any, ...]] | str]:
        try:
            made = shop.compiled(text, engine)
        except StatementError as refusal:
            return None, str(refusal)
        try:
            if engine == "duckdb":
                return made, told(made, self.duckdb.execute(made.sql).fetchall())
            return made, told(made, self.postgres.execute(made.sql.encode()).fetchall())
        except (duckdb.Error, psycopg.Error):
            return made, FAILED


def told(made: CompiledQuery, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows of an engine in the order in which the gateway hands them over."""
    if made.ordered or not rows:
        return rows
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    table = pa.table([*columns, pa.array(range(len(rows)))], names=[str(place) for place in range(len(columns) + 1)])
    return [rows[place] for place in sorted_by_values(table).columns[-1].to_pylist()]


def same(one: Sequence[Sequence[Any]] | str, other: Sequence[Sequence[Any]] | str) -> bool:
    """Whether rows are the same in the same order, numbers by their value; or both are the same refusal.

    Nine digits count, and what floating sums in another order leave of nothing does not.
    """
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return plain(one) == plain(other)


def plain(rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Rows with numbers as texts of nine digits."""
    return [tuple(_plain(value) for value in row) for row in rows]


def shuffled(rows: dict[str, list[dict[str, Any]]], chance: random.Random) -> dict[str, list[dict[str, Any]]]:
    """The same rows in another order."""
    return {table: chance.sample(found, k=len(found)) for table, found in rows.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return f"{float(value) if abs(value) > _NOTHING else 0.0:.9g}"
    return value


def interferes(shop: Shop, con: duckdb.DuckDBPyConnection, asked: Sequence[Told], chance: random.Random) -> int:
    """How many of these answers change when what is hidden changes, and the order in which rows lie."""
    shop.masked(con, shuffled(shop.world(chance), chance))
    return sum(
        one.made is not None
        and not isinstance(one.rows, str)
        and not same(told(one.made, con.execute(one.made.sql).fetchall()), one.rows)
        for one in asked
    )


def unsound(
    shop: Shop, con: duckdb.DuckDBPyConnection, asked: Sequence[Told], worlds: int, chance: random.Random
) -> int:
    """How many answered rows of questions that only add rows are not true in every world."""
    found = 0
    for number in range(worlds):
        for table, rows in shop.world(chance).items():
            load(con, f"world{number}.{table}", rows)
        con.execute(f"USE memory.world{number}")
        for one in asked:
            if one.made is not None and not isinstance(one.rows, str):
                true = con.execute(one.text).fetchall()
                found += sum(not any(covers(one.made.outputs, flat, row) for row in true) for flat in one.rows)
        con.execute("USE memory.main")
    return found
