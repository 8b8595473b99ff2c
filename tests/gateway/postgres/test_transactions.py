"""Transactions: all or nothing, and the engine's words only where they hold no values."""

from __future__ import annotations

import psycopg
import pytest
from psycopg.sql import SQL

from sfumato.errors import DataError, PolicyError, SfumatoError
from sfumato.gateway.postgres.transactions import Steps, run
from tests.postgres import as_role


def steps(*texts: str) -> Steps:
    return Steps(tuple(SQL(text) for text in texts))  # type: ignore[arg-type]


def exists(conninfo: str, table: str) -> bool:
    with psycopg.connect(conninfo) as connection:
        return connection.execute("SELECT to_regclass(%s) IS NOT NULL", [table]).fetchall() == [(True,)]


def test_all_of_it_happens(postgres: str) -> None:
    made = run(postgres, lambda connection: steps("CREATE TABLE a ()", "CREATE TABLE b ()"))
    assert exists(postgres, "a")
    assert exists(postgres, "b")
    assert made.text == "CREATE TABLE a ();\nCREATE TABLE b ();"


def test_or_nothing(postgres: str) -> None:
    with pytest.raises(PolicyError, match='nothing was changed: relation "nowhere" does not exist'):
        run(postgres, lambda connection: steps("CREATE TABLE a ()", "DROP TABLE IF EXISTS b", "TABLE nowhere"))
    assert not exists(postgres, "a")


def test_a_dry_run_does_nothing(postgres: str) -> None:
    assert run(postgres, lambda connection: steps("CREATE TABLE a ()"), dry=True).text
    assert not exists(postgres, "a")


def test_a_failure_holds_no_values(postgres: str) -> None:
    with pytest.raises(DataError, match=r"SQLSTATE 22P02.*nothing was changed") as caught:
        run(postgres, lambda connection: steps("SELECT 'canary'::integer"))
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_a_failure_of_our_own_passes(postgres: str) -> None:
    def failing(connection: object) -> Steps:
        raise PolicyError("ours")

    with pytest.raises(PolicyError, match="ours"):
        run(postgres, failing)


def test_a_database_out_of_reach(postgres: str) -> None:
    with pytest.raises(SfumatoError, match="cannot be reached") as caught:
        run(as_role(postgres, "nobody_at_all"), lambda connection: steps())
    assert "nobody_at_all" not in str(caught.value)
