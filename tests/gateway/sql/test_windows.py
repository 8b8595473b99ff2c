"""Windows: answers that SQL allows, the same whatever order the rows lie in."""

from __future__ import annotations

import random
from typing import Any

import duckdb
import pytest

from sfumato.errors import StatementError
from tests.gateway.shops import Shop, insert
from tests.gateway.sql.test_queries import compiled

ROWS: list[tuple[Any, ...]] = [
    (1, 20, 5, "Ann", "Rome"),
    (2, 20, 5, "Bo", "Rome"),
    (3, 20, 7, "Ann", "Oslo"),
    (4, 30, 7, "Cy", "Rome"),
    (5, None, 7, "Al", "Oslo"),
    (6, None, None, None, "Rome"),
]


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def lie(con: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]]) -> None:
    con.execute("CREATE OR REPLACE TABLE person (id INT, age INT, income INT, name VARCHAR, town VARCHAR)")
    insert(con, "person", rows)


TIED = [
    "SELECT id, row_number() OVER (ORDER BY age) AS w FROM person",
    "SELECT id, row_number() OVER () AS w FROM person",
    "SELECT id, ntile(4) OVER (ORDER BY town) AS w FROM person",
    "SELECT id, lag(name) OVER (PARTITION BY town ORDER BY age) AS w FROM person",
    "SELECT id, lead(name, 2, 'none') OVER (ORDER BY income DESC) AS w FROM person",
    "SELECT id, first_value(id) OVER (ORDER BY age) AS w FROM person",
    "SELECT id, first_value(id) OVER (ORDER BY age RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS w FROM person",
    "SELECT id, last_value(id) OVER (ORDER BY age) AS w FROM person",
    "SELECT id, last_value(id) OVER (PARTITION BY town ORDER BY age RANGE CURRENT ROW) AS w FROM person",
    "SELECT id, last_value(id) OVER (ORDER BY age RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS w FROM person",
    "SELECT id, last_value(id) OVER (ORDER BY age ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS w FROM person",
    "SELECT id, sum(id) OVER (ORDER BY town ROWS UNBOUNDED PRECEDING) AS w FROM person",
    "SELECT id, min(name) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS w FROM person",
    "SELECT town, row_number() OVER (ORDER BY count(*) - count(*)) AS w FROM person GROUP BY town",
    "SELECT age, town, lag(max(id)) OVER (ORDER BY count(*)) AS w FROM person GROUP BY age, town",
    "SELECT DISTINCT town, row_number() OVER (ORDER BY age) AS w FROM person",
    "SELECT id FROM person ORDER BY row_number() OVER (ORDER BY town) LIMIT 3",
    "SELECT p.id, q.id, row_number() OVER (ORDER BY p.town) AS w FROM person p JOIN person q ON p.age = q.age",
]


@pytest.mark.parametrize("text", TIED)
def test_ties_are_decided_by_what_is_read(con: duckdb.DuckDBPyConnection, text: str) -> None:
    found, sql = set(), compiled(text)
    for seed in range(12):
        lie(con, random.Random(seed).sample(ROWS, k=len(ROWS)))
        found.add(tuple(sorted(con.execute(sql).fetchall(), key=repr)))
    assert len(found) == 1


BEYOND = ("GROUP BY", "DISTINCT", "JOIN")
"""Where the order of rows that a window meets is not the one in which they lie."""
ALLOWED = [text for text in TIED if "OVER (ORDER BY" in text and not any(word in text for word in BEYOND)]


@pytest.mark.parametrize("text", ALLOWED)
def test_what_is_answered_is_what_the_engine_could_have_answered(con: duckdb.DuckDBPyConnection, text: str) -> None:
    """In some order of the rows the engine breaks ties as they are broken here."""
    lie(con, ROWS)
    mine, theirs = sorted(con.execute(compiled(text)).fetchall(), key=repr), []
    for seed in range(300):
        lie(con, random.Random(seed).sample(ROWS, k=len(ROWS)))
        theirs.append(sorted(con.execute(text).fetchall(), key=repr))
        if mine in theirs:
            break
    assert mine in theirs


ALIKE = [
    "SELECT id, rank() OVER (ORDER BY town), dense_rank() OVER (ORDER BY age) FROM person",
    "SELECT id, percent_rank() OVER (ORDER BY town), cume_dist() OVER (PARTITION BY town ORDER BY age) FROM person",
    "SELECT id, sum(id) OVER (ORDER BY town), count(*) OVER (ORDER BY age RANGE UNBOUNDED PRECEDING) FROM person",
    "SELECT id, count(*) OVER (ORDER BY income RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) FROM person",
    "SELECT id, rank() OVER (ORDER BY town ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM person",
    "SELECT id, rank() OVER (), count(*) OVER (PARTITION BY town) FROM person",
]


@pytest.mark.parametrize("text", ALIKE)
def test_peers_stay_peers(con: duckdb.DuckDBPyConnection, text: str) -> None:
    lie(con, ROWS)
    assert sorted(con.execute(compiled(text)).fetchall()) == sorted(con.execute(text).fetchall())


def test_the_last_of_those_alike_is_the_same_for_all_of_them(con: duckdb.DuckDBPyConnection) -> None:
    lie(con, ROWS)
    text = "SELECT age, last_value(name) OVER (ORDER BY age) AS w FROM person"
    found: dict[Any, set[Any]] = {}
    for age, last in con.execute(compiled(text)).fetchall():
        found.setdefault(age, set()).add(last)
    assert found == {20: {"Bo"}, 30: {"Cy"}, None: {None}}


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("ntile(0)", "argument of NTILE is a literal whole number of at least 1"),
        ("ntile(-1)", "argument of NTILE"),
        ("ntile(id)", "argument of NTILE"),
        ("ntile(NULL)", "argument of NTILE"),
        ("ntile('a')", "argument of NTILE"),
        ("ntile(1.5)", "argument of NTILE"),
        ("ntile(2 + 1)", "argument of NTILE"),
        ("ntile(99999999999)", "argument of NTILE"),
        ("ntile()", "argument of NTILE"),
        ("lag(id, -1)", "offset of LAG is a literal whole number of at least 0"),
        ("lag(id, 1.5)", "offset of LAG"),
        ("lag(id, 'a')", "offset of LAG"),
        ("lag(id, id)", "offset of LAG"),
        ("lag(id, NULL)", "offset of LAG"),
        ("lead(id, 3000000000)", "offset of LEAD"),
        ("lag(id, 1, 'a')", "LAG needs values of one kind"),
        ("lag(NULL)", "LAG needs a value that is not NULL"),
        ("first_value(NULL)", "FIRST_VALUE needs a value that is not NULL"),
        ("count(DISTINCT id)", "has no DISTINCT"),
        ("first_value(id ORDER BY id)", "does not understand"),
        ("lag(id IGNORE NULLS)", "does not understand IgnoreNulls"),
        ("nth_value(id, 2)", "does not understand NthValue"),
        ("row_number(id)", "does not understand THIS of RowNumber"),
    ],
)
def test_arguments_that_no_window_takes_are_refused(engine: str, function: str, said: str) -> None:
    with pytest.raises(StatementError, match=said):
        Shop(0).compiled(f"SELECT {function} OVER (ORDER BY id) FROM person", engine)


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize("function", ["first_value(id)", "last_value(id)"])
@pytest.mark.parametrize("ends", ["1 PRECEDING AND CURRENT ROW", "UNBOUNDED PRECEDING AND 1 PRECEDING"])
def test_the_ends_of_a_range_of_values_are_refused(engine: str, function: str, ends: str) -> None:
    with pytest.raises(StatementError, match="over a number of ROWS"):
        Shop(0).compiled(f"SELECT {function} OVER (ORDER BY id RANGE BETWEEN {ends}) FROM person", engine)


IN = "id IN (SELECT q.id FROM person q WHERE q.age > 20)"


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT id, count(*) OVER (PARTITION BY {IN}) AS w FROM person",
        "SELECT sum(id + 1) OVER (PARTITION BY EXISTS (SELECT 1 FROM person q WHERE q.id = p.age)) AS w FROM person p",
        "SELECT id, count(*) OVER (ORDER BY (SELECT count(*) FROM person q WHERE q.id = p.age)) AS w FROM person p",
        f"SELECT id, count(*) OVER (PARTITION BY {IN}) AS w, CAST(TRUE AS INTEGER) AS t FROM person",
    ],
)
def test_a_window_may_be_divided_and_sorted_by_a_query(con: duckdb.DuckDBPyConnection, text: str) -> None:
    lie(con, ROWS)
    assert len(con.execute(compiled(text)).fetchall()) == len(ROWS)


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT id, sum(id + 1) OVER (PARTITION BY {IN}) AS w FROM person",
        f"SELECT {IN} AS g, row_number() OVER (ORDER BY count(*)) AS w, sum(id + 1) AS s FROM person GROUP BY 1",
        "SELECT id, count(*) OVER (ORDER BY (SELECT max(count(*)) OVER () FROM person q)) AS w FROM person",
    ],
)
def test_a_query_that_needs_a_window_of_its_own_is_refused_in_a_window(text: str) -> None:
    with pytest.raises(StatementError, match="compute it in a query inside FROM"):
        compiled(text)
