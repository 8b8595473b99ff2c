from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from contextlib import suppress

import pytest
from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.compiling import compile_query
from sfumato.gateway.sql.expression_size import MAX_NODES, count_built, limited_size
from sfumato.gateway.sql.reading import parse_query
from tests.gateway.shops import purpose_view

MOST_BYTES = 1_000 * MAX_NODES
"""What so many nodes need at most, with what is made of them on the way."""


def repeated(part: str, times: int, between: str = ", ") -> str:
    return between.join(part.format(at) for at in range(times))


def nested(wrapped: str, inner: str, levels: int) -> str:
    """A part in which another is wrapped so many times."""
    for at in range(levels):
        inner = wrapped.replace("{at}", str(at)).replace("{inner}", inner)
    return inner


def case(branch: str, branches: int, subject: str = "") -> str:
    return f"CASE {subject} {repeated(branch, branches, ' ')} END"


def total(terms: int) -> str:
    return repeated("id", terms, " + ")


def select(columns: str) -> str:
    return f"SELECT {columns} FROM person"


QUOTED = "'{}'"
MULTIPLYING: dict[str, Callable[[int], str]] = {
    "between": lambda n: select(nested("({inner} BETWEEN false AND true)", "(id BETWEEN 1 AND 2)", n)),
    "case on case": lambda n: select(nested("CASE {inner} WHEN 1 THEN 1 WHEN 2 THEN 2 WHEN 3 THEN 3 END", "id", n)),
    "case on equality": lambda n: select(nested("CASE WHEN {inner} = 5 THEN income ELSE 1 END", "income", n)),
    "aggregates of subqueries": lambda n: nested(
        "SELECT max(d{at}.x) AS x FROM (SELECT ({inner}) AS x) d{at}", "SELECT max(income) AS x FROM person", n
    ),
    "list on a long case": lambda n: select(
        f"{case('WHEN id = {} THEN income', 12 * n)} IN ({repeated('{}', 60 * n)})",
    ),
    "list on a long case of texts": lambda n: select(
        f"{case('WHEN id = {} THEN town', 14 * n)} IN ({repeated(QUOTED, 17 * n)})",
    ),
    "case on a long sum": lambda n: select(case("WHEN {0} THEN {0}", 60 * n, total(6 * n))),
    "case on a long case": lambda n: select(
        case("WHEN {0} THEN {0}", 26 * n, case("WHEN id = {} THEN id", 20 * n)),
    ),
    "functions around a long sum": lambda n: select(nested("abs({inner})", repeated("id * 2", 12 * n, " + "), 2 * n)),
    "long sums in many windows": lambda n: select(
        repeated(f"sum(id) OVER (PARTITION BY town ORDER BY {total(6 * n)})", n)
    ),
    "columns in many windows": lambda n: select(
        f"{repeated('*', 10 * n)}, {repeated('row_number() OVER (ORDER BY id)', 10 * n)}"
    ),
    "all columns many times": lambda n: select(repeated("*", 100 * n)),
    "many windows over many tables": lambda n: (
        f"SELECT {repeated('row_number() OVER (ORDER BY p0.id)', 10 * n)}, {repeated('p{}.*', 10 * n)}"
        f" FROM {repeated('person p{}', 10 * n)}"
    ),
}
"""Questions of growing size, in which what is compiled grows faster than the text."""


@pytest.mark.parametrize("made", MULTIPLYING.values(), ids=MULTIPLYING.keys())
def test_whatever_multiplies_is_built_within_bounds(made: Callable[[int], str]) -> None:
    compiled(made(1))
    tracemalloc.start()
    with suppress(StatementError):
        compiled(made(14))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST_BYTES


def compiled(text: str, engine: str = "duckdb") -> str:
    tree = parse_query(text, engine).tree
    return compile_query(tree, engine, lambda *one: purpose_view("mask_cell", *one, engine), ("person",)).sql


@pytest.mark.parametrize("name", ["between", "case on case", "aggregates of subqueries", "list on a long case"])
def test_what_becomes_too_large_is_refused(name: str) -> None:
    with pytest.raises(StatementError, match="too large when it is compiled"):
        compiled(MULTIPLYING[name](14))


@pytest.mark.parametrize(
    "text",
    [
        select(case("WHEN income > {0} THEN {0}", 120)),
        f"SELECT id FROM person WHERE id IN ({repeated('{}', 1900)})",
        f"SELECT id FROM person WHERE income IN ({repeated('{}', 500)})",
        f"SELECT id FROM person WHERE {repeated('id = {}', 900, ' OR ')}",
        f"SELECT id FROM person WHERE {repeated('income > {}', 400, ' AND ')}",
        select(total(95)),
        select(repeated("id AS c{}", 900)),
        repeated("SELECT id, income, town FROM person", 30, " UNION "),
        f"SELECT count(*) AS n FROM person {repeated('JOIN person p{0} ON p{0}.id = person.id', 200, ' ')}",
    ],
)
def test_what_is_long_is_not_large(text: str) -> None:
    assert compiled(text)


def test_what_is_built_for_one_query_counts_together() -> None:
    many = exp.and_(*[exp.column("a") for _ in range(1000)])
    count_built(*[many] * 100)  # counted only while a query is compiled
    with limited_size():
        count_built(*[many] * (MAX_NODES // 4000))
        with pytest.raises(StatementError):
            count_built(*[many] * (MAX_NODES // 4000))
