from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sfumato.gateway.answers.row_order import sorted_by_values
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.sql.parameterize_literals import parameterize_literals
from tests.gateway import kabir
from tests.gateway.memory import customers

OWNER = Person("olga", frozenset({"owner"}), {})
AT_TEN = datetime(2026, 11, 16, 10, tzinfo=UTC)


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize(
    ("text", "parameters", "shape", "values"),
    [
        ("SELECT a FROM t WHERE id = 7", [], "SELECT a FROM t WHERE id = ?", (7,)),
        ("SELECT a FROM t WHERE id=7 AND x<>8", [], "SELECT a FROM t WHERE id= ? AND x<> ?", (7, 8)),
        ("SELECT a FROM t WHERE b = ? AND c > 5 AND d = ?", ["x", "y"],
         "SELECT a FROM t WHERE b = ? AND c > ? AND d = ?", ("x", 5, "y")),
        ("SELECT a FROM t WHERE (t.id >= 7) FOR PURPOSE Marketing", [],
         "SELECT a FROM t WHERE (t.id >= ? ) FOR PURPOSE Marketing", (7,)),
        ("SELECT a FROM (SELECT a FROM t WHERE id < 7) s WHERE a <= 9 ORDER BY 1 LIMIT 3", [],
         "SELECT a FROM (SELECT a FROM t WHERE id < ? ) s WHERE a <= ? ORDER BY 1 LIMIT 3", (7, 9)),
        ("WITH s AS (SELECT a FROM t WHERE id = 7) SELECT a FROM s", [],
         "WITH s AS (SELECT a FROM t WHERE id = ? ) SELECT a FROM s", (7,)),
    ],
)  # fmt: skip
def test_numbers_that_columns_are_compared_with_become_parameters(
    engine: str, text: str, parameters: list[object], shape: str, values: tuple[object, ...]
) -> None:
    found = parameterize_literals(text, parameters, engine)
    assert (words(found[0]), found[1]) == (shape, values)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a = 5 FROM t",
        "SELECT a = 5 FROM t GROUP BY a = 5",
        "SELECT a FROM t GROUP BY a HAVING a = 5",
        "SELECT a FROM t JOIN u ON t.id = 5",
        "SELECT a FROM t WHERE id = -5",
        "SELECT a FROM t WHERE id = 5 + 1",
        "SELECT a FROM t WHERE id = 5::text",
        "SELECT a FROM t WHERE id = 5.0",
        "SELECT a FROM t WHERE id = 1e3",
        "SELECT a FROM t WHERE id = 1_000",
        "SELECT a FROM t WHERE id = 12345678901234567890",
        "SELECT a FROM t WHERE name = 'id = 5'",
        "SELECT a FROM t WHERE name = 'x' -- id = 5",
        'SELECT a FROM t WHERE "id = 5" = b',
        "SELECT a FROM t WHERE 5 = 5",
        "SELECT a FROM t WHERE CASE WHEN a = 5 THEN b END",
        "SELECT (SELECT b FROM t WHERE id = 5) FROM t",
        "SELECT a FROM t WHERE id = $1 AND b = 5",
        "SELECT a FROM t WHERE id = ? AND b = 5",
        "SELECT a FROM t ORDER BY 1 LIMIT 5",
        "SELECT a FROM t WHERE id = 5; DROP TABLE t",
        "SELECT 'unclosed FROM t WHERE id = 5",
        "DELETE FROM t WHERE id = 5",
        "SELECT a FROM t WHERE id = 5 " + "x" * 30_000,
    ],
)
def test_everything_else_stays(text: str) -> None:
    assert parameterize_literals(text, [], "duckdb") == (text, ())


@pytest.mark.parametrize(
    "text",
    [
        "SELECT name FROM customer WHERE income > 15000",
        "SELECT name FROM customer WHERE income > 25000 AND age >= 40",
        "SELECT name FROM customer WHERE income = 56000 OR id = 2",
        "SELECT name FROM customer WHERE NOT (income < 30000)",
        "SELECT count(*) AS n FROM customer WHERE age <> 35",
        "SELECT name FROM customer WHERE id IN (SELECT id FROM customer WHERE age < 50) AND id > 1",
    ],
)
def test_answers_are_the_same_as_with_the_numbers_in_place(text: str) -> None:
    gateway = Gateway(Policy.of(kabir.policy()), customers(), clock=lambda: AT_TEN)
    found = gateway.query(text, person=OWNER, purpose="Marketing")
    assert "$1" in gateway.source.asked[-1]
    literal = gateway.compile(text, person=OWNER, purpose="Marketing")
    assert "$1" not in literal.sql
    assert found.flat.to_pylist() == sorted_by_values(gateway.source.seen.sql(literal.sql).to_arrow_table()).to_pylist()
    assert found.uncertain == literal.uncertain
