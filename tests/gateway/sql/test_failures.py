"""Which questions look at all rows: those that could fail, and no others, because looking costs time."""

from __future__ import annotations

from datetime import date

import pytest

from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.sql.compiling import compile_query
from sfumato.gateway.sql.reading import parse_query
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView

POLICY = Policy.of({
    "name": "shop",
    "purposes": {"P": []},
    "tables": {"t": {"key": "id", "allowed": ["P"], "new_columns": "as_table"}},
    "roles": {"analyst": {}},
    "permissions": [{"role": "analyst", "table": "t", "purpose": "P"}],
})  # fmt: skip
DUCKDB = {
    "id": "BIGINT", "name": "VARCHAR", "day": "DATE", "moment": "TIMESTAMP", "price": "DECIMAL(10,2)", "on": "BOOLEAN",
    "wide": "DECIMAL(38,0)", "huge": "HUGEINT", "score": "DOUBLE", "code": "UUID", "mood": "ENUM('good', 'bad')",
    "fine": "TIMESTAMP_NS",
}  # fmt: skip
POSTGRES = {
    "id": "bigint", "name": "text", "day": "date", "moment": "timestamp without time zone", "price": "numeric(10,2)",
    "wide": "numeric", "huge": "numeric(38,0)", "score": "double precision", "code": "uuid", "mood": "mood",
    "on": "boolean",
}  # fmt: skip


def looks_at_all(text: str, engine: str, *kinds: str) -> bool:
    """Whether the compiled question computes everything before it hands over the first row."""
    named = {"duckdb": (DUCKDB, ColumnType.of_duckdb), "postgres": (POSTGRES, ColumnType.of_postgres)}
    spelled, of = named[engine]
    types = {name: of(kind) for name, kind in spelled.items()}
    view = PurposeView.of(POLICY, "t", "P", types, day=date(2026, 11, 16))
    tree = parse_query(text, engine, kinds or None).tree
    return "OVER ()" in compile_query(tree, engine, lambda *_: view, ("t",)).sql


HARMLESS = [
    "SELECT * FROM t",
    "SELECT name FROM t WHERE id = 7 AND name LIKE 'A%' AND NOT score > 0.5",
    "SELECT DISTINCT name, lower(name) FROM t WHERE name IN ('Ann', 'Bob') OR id BETWEEN 1 AND 9",
    "SELECT name, count(*) AS n, max(day) AS m FROM t WHERE day >= '2020-01-31' GROUP BY name HAVING count(*) > 3",
    "SELECT id FROM t WHERE day < DATE '2020-02-29' ORDER BY name LIMIT 3",
    "SELECT id FROM t WHERE moment < '2020-02-29 10:30'",
    "SELECT a.name FROM t AS a JOIN t AS b ON a.id = b.id WHERE EXISTS (SELECT 1 FROM t WHERE name = 'x')",
    "SELECT CASE WHEN price > 7 THEN 'much' ELSE coalesce(name, '?') END AS x FROM t WHERE price > 0.25",
    "SELECT id FROM t UNION SELECT id FROM t WHERE id > 5",
    'SELECT id FROM t WHERE id IN (SELECT id FROM t WHERE "on")',
    "SELECT CAST(id AS TEXT) AS x, length(name) AS y FROM t WHERE id > 0.123456789012345678",
    "SELECT code, mood FROM t",
    "SELECT id FROM t WHERE id > -5 AND score > -0.5 AND score < 1e0",
    "SELECT id, count(*) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS n FROM t",
    "select id, count(*) over (order by id rows between 2 preceding and current row) as n from t",
    "select id, count(*) over (order by id range between unbounded preceding and current row) as n from t",
]
FAILING = [
    "SELECT id + 1 AS x FROM t",
    "SELECT -id AS x FROM t",
    "SELECT id / 2 AS x FROM t",
    "SELECT name || name AS x FROM t",
    "SELECT replace(name, 'a', 'b') AS x FROM t",
    "SELECT CAST(name AS INT) AS x FROM t",
    "SELECT extract(year FROM day) AS x FROM t",
    "SELECT date_trunc('month', day) AS x FROM t",
    "SELECT sum(id) AS x FROM t GROUP BY name",
    "SELECT (SELECT id FROM t) AS x FROM t",
    "SELECT id FROM t WHERE (SELECT id FROM t) IN (1, 2)",
    "SELECT id FROM t WHERE id IN ((SELECT id FROM t), 0)",
    "SELECT a.id FROM t AS a JOIN t AS b ON (SELECT \"on\" FROM t)",
    "SELECT id, count(*) OVER (ORDER BY id RANGE BETWEEN CURRENT ROW AND 9 FOLLOWING) AS n FROM t",
    "SELECT id, count(*) OVER (ORDER BY id range between 1 PRECEDING and current row) AS n FROM t",
    "select id, max(id) over (order by id Range 1 preceding) as n from t",
    "SELECT CASE WHEN id = 7 THEN CAST(99999 AS SMALLINT) ELSE 1 END AS x FROM t",
    "SELECT CASE WHEN id = 7 THEN CAST(9999999999 AS INT) ELSE 1 END AS x FROM t",
    "SELECT CASE WHEN id = 7 THEN CAST('abc' AS INT) ELSE 1 END AS x FROM t",
    "SELECT id FROM t WHERE day > '2020-02-30'",
    "SELECT id FROM t WHERE day > CAST('infinity' AS DATE)",
    "SELECT coalesce(day, moment) AS x FROM t",
    "SELECT id FROM t WHERE day > '2020-01-01 10:00'",
    "SELECT id FROM t WHERE code = 'x'",
    "SELECT id FROM t WHERE mood = 'x'",
]  # fmt: skip
FAILING_IN_DUCKDB = [
    "SELECT id FROM t WHERE id > 0.1234567890123456789",
    "SELECT CASE WHEN id = 7 THEN id ELSE 0.1234567890123456789 END AS x FROM t",
    "SELECT id FROM t WHERE huge > 0.5",
    "SELECT id FROM t WHERE wide > price",
    "SELECT id FROM t WHERE price > 12345678901234567890",
    "SELECT id FROM t WHERE price IN (SELECT huge FROM t)",
    "SELECT id FROM t WHERE fine > DATE '1000-01-01'",
]


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize("text", HARMLESS)
def test_what_cannot_fail_is_asked_as_it_is(text: str, engine: str) -> None:
    assert not looks_at_all(text, engine)


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize("text", FAILING)
def test_what_can_fail_looks_at_all_rows(text: str, engine: str) -> None:
    assert looks_at_all(text, engine)


@pytest.mark.parametrize("text", FAILING_IN_DUCKDB)
def test_decimals_of_duckdb_have_an_end(text: str) -> None:
    assert looks_at_all(text, "duckdb")


def test_in_postgres_a_numeric_may_be_too_large_for_a_float() -> None:
    assert looks_at_all("SELECT id FROM t WHERE wide > score", "postgres")
    assert looks_at_all("SELECT id FROM t WHERE wide > 1e0", "postgres")
    assert looks_at_all("SELECT id FROM t WHERE wide > ?", "postgres", "float")
    assert looks_at_all("SELECT id FROM t WHERE score > ?", "postgres", "decimal")
    assert not looks_at_all("SELECT id FROM t WHERE wide > price", "postgres")


@pytest.mark.parametrize(
    ("text", "kind", "looks"),
    [
        ("SELECT id FROM t WHERE id = ?", "integer", False),
        ("SELECT id FROM t WHERE price > ?", "integer", False),
        ("SELECT id FROM t WHERE price > ?", "decimal", True),
        ("SELECT id FROM t WHERE day > ?", "timestamp", True),
        ("SELECT id FROM t WHERE moment > ?", "timestamp", False),
        ("SELECT id FROM t WHERE name = ?", "text", False),
        ("SELECT id FROM t WHERE score > ?", "float", False),
    ],
)
def test_parameters_are_of_some_kind(text: str, kind: str, looks: bool) -> None:
    assert looks_at_all(text, "duckdb", kind) is looks
