"""What is not supported is refused with a message that says what to write, or for which values it is not offered."""

from __future__ import annotations

import pytest

from sfumato.errors import StatementError
from tests.gateway.shops import Shop

COMPUTED = "aggregates, windows and functions such as COALESCE compute is not offered"
REFUSED = {
    "SELECT id FROM person WHERE income": "a condition of a value alone is not offered",
    "SELECT id FROM person WHERE age IS DISTINCT FROM 3": "DISTINCT FROM is not offered",
    "SELECT id FROM person WHERE coalesce(exact(age), 1) IS UNKNOWN": COMPUTED,
    "SELECT id FROM person WHERE id IS 5": "IS is followed by NULL, TRUE or FALSE",
    "SELECT id FROM person WHERE id IN ()": "IN needs at least one value",
    "SELECT id FROM person WHERE count(age) IN (SELECT id FROM person)": COMPUTED,
    "SELECT *": r"\* needs a table to take the columns from",
    "SELECT x.* FROM person": r"\* needs a table to take the columns from",
    "SELECT id FROM person AS p (a, b, c, d, e)": "the columns of a table keep their names",
    "SELECT 1 AS a FROM person RIGHT JOIN visit USING (id)": "USING goes with INNER and LEFT joins; write ON",
    "SELECT 1 AS a FROM person JOIN visit USING (cost)": "USING needs column 'cost' once on either side",
    "SELECT sum(DISTINCT id, age) AS a FROM person": "DISTINCT in an aggregate takes one expression",
    "SELECT count(id, age) AS a FROM person": r"COUNT takes one expression, or \*",
    "SELECT count() AS a FROM person": r"COUNT takes one expression, or \*",
    "SELECT lower(name) FILTER (WHERE id > 1) AS a FROM person": "does not understand Filter here",
    "SELECT id FROM person; SELECT id FROM person": "one query at a time",
    "DROP TABLE person": "only SELECT is allowed",
    "UPDATE person SET id = 1": "only SELECT is allowed",
    "SELECT id FROM person FOR PURPOSE +": "FOR PURPOSE is followed by the name of a purpose",
    "SELECT CASE WHEN id = 1 THEN age ELSE name END AS a FROM person": "mixing numbers and texts is not offered",
}


@pytest.mark.parametrize("text", REFUSED)
def test_the_message_says_why(text: str) -> None:
    with pytest.raises(StatementError, match=REFUSED[text]):
        Shop(1).compiled(text)


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_an_integer_is_its_own_rounded_value(engine: str) -> None:
    one, other = Shop(1).compiled("SELECT round(id) AS a, round(id, -1) AS b FROM person", engine).outputs
    assert one.value.kind == "integer"
    assert (one.value.sql.sql(), "ROUND" in other.value.sql.sql()) == ('"person"."id"', True)
