from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import StatementError
from sfumato.gateway.sql.reading import MAX_CHARACTERS, parse_query


@pytest.mark.parametrize(
    ("text", "purpose"),
    [
        ("SELECT 1 FOR PURPOSE Marketing", "Marketing"),
        ("select 1 for purpose marketing ;", "marketing"),
        ('SELECT 1 FOR PURPOSE "T-Email"', "T-Email"),
        ("SELECT 1 FOR PURPOSE 'T-Email';;", "T-Email"),
        ("SELECT 1", None),
    ],
)
def test_the_purpose_stands_at_the_end(text, purpose) -> None:
    assert parse_query(text, "duckdb").purpose == purpose
    assert parse_query(text, "postgres").purpose == purpose


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "SELECT name FROM t WHERE name = 'Canary' AND income > 23000 -- Canary",
            "SELECT name FROM t WHERE name = ? AND income > ?",
        ),
        ("SELECT /* Canary */ count(*)  FROM t", "SELECT count(*) FROM t"),
        ('SELECT "a b", t.x FROM t', 'SELECT "a b", t.x FROM t'),
        ("SELECT $$Canary$$", "SELECT ?"),
    ],
)
def test_what_is_kept_of_a_question_has_no_values(text, kept) -> None:
    assert parse_query(text, "postgres").normalized == kept


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the query is empty"),
        ("  ;; ", "the query is empty"),
        ("SELECT 1; SELECT 2", "several statements"),
        ("DELETE FROM t", "only SELECT"),
        ("EXPLAIN SELECT 1", "only SELECT|cannot be read"),
        ("PRAGMA x", "only SELECT|cannot"),
        ("SELECT 'open", "cannot be read"),
        ("SELECT (1", "cannot be read"),
        ("SELECT FROM WHERE", "cannot be read"),
        ("SELECT " + "(" * 61 + "1" + ")" * 61, "deep"),
        ("SELECT " + "1," * 3000 + "1", "words"),
        ("SELECT '" + "x" * MAX_CHARACTERS + "'", "characters"),
        ("SHOW TABLES", "only SELECT|cannot"),
        ("CALL f()", "only SELECT|cannot"),
        ("COPY t TO 'f'", "only SELECT|cannot"),
        ("BEGIN", "only SELECT|cannot"),
        ("SET x = 1", "only SELECT|cannot"),
        ("PREPARE p AS SELECT 1", "only SELECT|cannot"),
        ("DECLARE c CURSOR FOR SELECT 1", "only SELECT|cannot"),
        ("ATTACH 'x'", "only SELECT|cannot"),
        ("INSERT INTO t SELECT 1", "only SELECT"),
        ("DESCRIBE t", "only SELECT|cannot"),
    ],
)
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_what_is_no_question_is_refused(text, said, engine) -> None:
    with pytest.raises(StatementError, match=said):
        parse_query(text, engine)


WORDS = [
    "SELECT",
    "FROM",
    "WHERE",
    "a",
    "t",
    "(",
    ")",
    ",",
    "*",
    "1",
    "'x'",
    "AND",
    "NOT",
    "IN",
    "UNION",
    "GROUP BY",
    "--",
    "/*",
    "*/",
    ";",
    '"',
    "'",
    "$$",
    "::",
    "?",
    "$1",
    "CASE",
    "WHEN",
    "END",
    "OVER",
    "WITH",
    "AS",
    "\x00",
    "é",
    "FOR PURPOSE",
]


@given(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join) | st.text(max_size=60))
def test_anything_is_read_or_refused(text: str) -> None:
    for engine in ("duckdb", "postgres"):
        with suppress(StatementError):
            assert parse_query(text, engine).tree is not None


def test_parameters_are_numbered_as_they_stand() -> None:
    tree = parse_query("SELECT ?, '?', ? -- ?", "duckdb").tree
    assert tree.sql("duckdb").replace("'?'", "") == "SELECT $1, , $2"


def test_threads_do_not_mix_up_what_they_read() -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def same(number: int) -> bool:
        text = f"SELECT a{number} FROM t{number} WHERE {'x' * number} = {number} FOR PURPOSE p{number}"
        told = (f"p{number}", f"SELECT a{number} FROM t{number} WHERE {'x' * number} = ?")
        found = [parse_query(text, "duckdb") for _ in range(60)]
        return all((one.purpose, one.normalized) == told for one in found)

    try:
        with ThreadPoolExecutor(6) as pool:
            assert all(pool.map(same, range(1, 7)))
    finally:
        sys.setswitchinterval(interval)
