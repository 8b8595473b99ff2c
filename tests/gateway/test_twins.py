"""Random policies: all that somebody observes is the same of a twin that differs in what they may not see."""

from __future__ import annotations

from pathlib import Path

import duckdb
import psycopg
import pytest

from tests.gateway.temporary import TemporaryDuckDb, TemporaryPostgres
from tests.gateway.twin_law import compared
from tests.gateway.twins import Case

CASES = 60
ASKED = 3


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_twins_are_not_told_apart(engine: str, shared_postgres: str, tmp_path: Path) -> None:
    answered = 0
    with psycopg.connect(shared_postgres, autocommit=True) as connection, duckdb.connect() as con:
        for seed in range(CASES):
            case = Case(seed)
            questions = case.questions(ASKED)

            def opened(rows):
                return TemporaryDuckDb(con, rows) if engine == "duckdb" else TemporaryPostgres(connection, rows)

            found, told = compared(case, opened, questions, tmp_path / "log.jsonl")
            assert found == []
            answered += sum(not isinstance(one[0], str) for one in told.outcomes)
    assert answered > CASES * ASKED / 6


def test_a_difference_would_be_seen(tmp_path: Path) -> None:
    """A twin in which something that is seen has changed."""
    con, seen = duckdb.connect(), 0
    for seed in range(60):
        case = Case(seed)
        case.twin["person"][0]["id"] = 777
        case.twin["visit"][0]["visit"] = 777
        opened = lambda rows: TemporaryDuckDb(con, rows)  # noqa: E731
        seen += bool(compared(case, opened, ["SELECT * FROM person", "SELECT * FROM visit"], tmp_path / "log.jsonl")[0])
    assert seen > 10
