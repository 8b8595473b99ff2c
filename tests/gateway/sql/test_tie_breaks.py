"""Ties are broken by what is seen of rows: on both engines alike, and whatever order the rows lie in."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import duckdb
import psycopg
import pytest
from psycopg.types.string import TextLoader

from sfumato.errors import StatementError
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.sql.compiling import CompiledQuery, compile_query
from sfumato.gateway.sql.reading import parse_query
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView
from tests.gateway.shops import DAY, Shop
from tests.gateway.two_engines import told

POLICY = Policy.of(
    {
        "name": "odd types",
        "purposes": {"General": []},
        "tables": {"odd": {"key": "id", "allowed": ["General"], "new_columns": "as_table"}},
    }
)
TYPES = {
    "duckdb": {
        "id": "INTEGER",
        "ratio": "DOUBLE",
        "price": "DECIMAL(10,2)",
        "doc": "JSON",
        "size": "ENUM('s', 'm', 'l')",
        "hour": "TIME",
        "tags": "VARCHAR[]",
    },
    "postgres": {
        "id": "integer",
        "ratio": "double precision",
        "price": "numeric",
        "doc": "json",
        "size": "odd_size",
        "hour": "time without time zone",
        "tags": "text[]",
    },
}
ROWS = [
    (1, 0.0, "1.00", '{"a": 2}', "s", "08:00:00", ["x"]),
    (2, -0.0, "1.00", '{"a": 1}', "l", "07:00:00", ["y"]),
    (3, float("nan"), "2.50", '{"a": 1}', "m", "08:00:00", ["x", "y"]),
    (4, float("inf"), "0.50", None, "m", "23:00:00", None),
    (5, None, None, "[1]", None, None, []),
    (6, 0.0, "1.0", "[1]", "l", "07:00:00", ["x"]),
]
ASKED = [
    "SELECT ratio FROM odd LIMIT 2",
    "SELECT ratio FROM odd LIMIT 3 OFFSET 1",
    "SELECT doc FROM odd LIMIT 2",
    "SELECT size FROM odd LIMIT 3",
    "SELECT hour, doc FROM odd OFFSET 2",
    "SELECT DISTINCT size FROM odd LIMIT 2",
    "SELECT price, size FROM odd ORDER BY price LIMIT 2",
    "SELECT tags FROM odd LIMIT 3",
    "SELECT count(*) AS n FROM (SELECT ratio, doc FROM odd LIMIT 4) AS s WHERE ratio IS NOT NULL",
    "SELECT id, row_number() OVER (ORDER BY price) AS w, doc FROM odd",
    "SELECT doc, row_number() OVER (ORDER BY price) AS w FROM odd",
    "SELECT price, last_value(size) OVER (ORDER BY price) AS w FROM odd",
    "SELECT size, lag(hour) OVER (ORDER BY size) AS w FROM odd",
    "SELECT CAST(CAST(price AS DECIMAL(10, 2)) AS TEXT) AS t FROM (SELECT price FROM odd LIMIT 2) AS s",
]


def compiled(text: str, engine: str) -> CompiledQuery:
    read = ColumnType.of_duckdb if engine == "duckdb" else ColumnType.of_postgres
    types = {name: read(kind) for name, kind in TYPES[engine].items()}

    def view(table: str, referencing: frozenset[str] | None) -> PurposeView:
        return PurposeView.of(POLICY, table, "General", types, day=DAY, referencing=referencing)

    return compile_query(parse_query(text, engine).tree, engine, view, ("odd",))


@pytest.fixture(params=["duckdb", "postgres"])
def engine(request: pytest.FixtureRequest) -> Iterator[tuple[str, Any]]:
    if request.param == "duckdb":
        yield "duckdb", duckdb.connect()
        return
    with psycopg.connect(request.getfixturevalue("shared_postgres")) as con:
        con.adapters.register_loader("json", TextLoader)
        con.execute("CREATE TYPE odd_size AS ENUM ('s', 'm', 'l')")
        yield "postgres", con
        con.rollback()


def answers(engine: tuple[str, Any], text: str) -> set[str]:
    """What is answered when the rows lie in one order and another."""
    name, con = engine
    made, found = compiled(text, name), set()
    columns = ", ".join(f"{column} {kind}" for column, kind in TYPES[name].items())
    place = ", ".join(["?" if name == "duckdb" else "%s"] * len(TYPES[name]))
    for seed in range(8):
        con.execute("DROP TABLE IF EXISTS odd")
        con.execute(f"CREATE TEMP TABLE odd ({columns})")
        for row in random.Random(seed).sample(ROWS, k=len(ROWS)):
            con.execute(f"INSERT INTO odd VALUES ({place})", row)
        found.add(repr([tuple(map(_handed_over, row)) for row in told(made, con.execute(made.sql).fetchall())]))
    return found


def _handed_over(value: Any) -> Any:
    """Equal numbers look alike when they are handed over."""
    return value + 0.0 if isinstance(value, float) else value.normalize() if isinstance(value, Decimal) else value


@pytest.mark.parametrize("text", ASKED)
def test_types_without_an_order_of_their_own_go_by_their_texts(engine: tuple[str, Any], text: str) -> None:
    assert len(answers(engine, text)) == 1


@pytest.mark.parametrize("name", ["price", "ratio"])
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_numbers_that_are_equal_are_not_told_apart(engine: str, name: str) -> None:
    assert compiled(f"SELECT {name} FROM odd LIMIT 1", engine).sql.split("ORDER BY")[1].count(name) == 1


def test_a_number_with_any_digits_is_no_text() -> None:
    with pytest.raises(StatementError, match="CAST it to DECIMAL first"):
        compiled("SELECT CAST(price AS TEXT) AS t FROM odd", "postgres")
    assert compiled("SELECT CAST(price AS TEXT) AS t FROM odd", "duckdb").sql


ORDER = [
    ("SELECT id FROM person LIMIT 3", True, 'ORDER BY "person"."id" ASC LIMIT 3'),
    ("SELECT id FROM person OFFSET 3", True, 'ORDER BY "person"."id" ASC OFFSET 3'),
    ("SELECT id, visit.visit FROM person, visit ORDER BY visit", True, '"visit" ASC, "person"."id" ASC'),
    ("SELECT id FROM person ORDER BY id DESC LIMIT 3", True, 'ORDER BY "person"."id" DESC LIMIT 3'),
    ("SELECT 1 AS x FROM person LIMIT 3", True, 'FROM "person" AS "person" LIMIT 3'),
    ("SELECT age FROM person LIMIT 3", True, 'ORDER BY "person"."age.lo" ASC, "person"."age.hi" ASC LIMIT 3'),
    ("SELECT id FROM person", False, 'FROM "person" AS "person"'),
    ("SELECT count(*) AS n FROM person", True, 'FROM "person" AS "person"'),
    ("SELECT count(*) AS n FROM person OFFSET 0", True, "ORDER BY COUNT(*) ASC OFFSET 0"),
    ("SELECT id FROM person UNION SELECT visit FROM visit LIMIT 1", True, 'ORDER BY "answer"."c0" ASC LIMIT 1'),
    ("SELECT id FROM person UNION SELECT visit FROM visit", False, None),
    ("WITH w AS (SELECT id FROM person ORDER BY id) SELECT * FROM w", False, None),
    ("SELECT * FROM (SELECT id FROM person LIMIT 1) AS s", False, None),
]


@pytest.mark.parametrize(("text", "ordered", "end"), ORDER)
def test_the_order_is_completed_where_it_decides(text: str, ordered: bool, end: str | None) -> None:
    made = Shop(0).compiled(text)
    assert made.ordered is ordered
    if end is not None:
        assert made.sql.endswith(end)


def test_inside_a_question_an_order_decides_only_with_a_limit() -> None:
    inside = "SELECT s.id FROM (SELECT id, age FROM person ORDER BY exact(age){}) AS s"
    without, limited = (Shop(0).compiled(inside.format(limit)).sql for limit in ("", " LIMIT 1"))
    assert '"person"."id" ASC' not in without
    assert '"person"."id" ASC' in limited
