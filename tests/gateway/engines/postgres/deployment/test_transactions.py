"""Transactions: all or nothing, and the engine's words only where they hold no values."""

from __future__ import annotations

import psycopg
import pytest
from psycopg.sql import SQL

from sfumato.errors import DataError, PolicyError, SfumatoError
from sfumato.gateway.engines.postgres.deployment import transactions
from sfumato.gateway.engines.postgres.deployment.transactions import (
    LOCK,
    LOCK_TABLE,
    TransactionSteps,
    create_lock,
    drop_lock,
    run_in_transaction,
)
from tests.postgres import as_role


def steps(*texts: str) -> TransactionSteps:
    return TransactionSteps(tuple(SQL(text) for text in texts))  # type: ignore[arg-type]


def exists(conninfo: str, table: str) -> bool:
    with psycopg.connect(conninfo) as connection:
        return connection.execute("SELECT to_regclass(%s) IS NOT NULL", [table]).fetchall() == [(True,)]


def test_all_of_it_happens(postgres: str) -> None:
    made = run_in_transaction(postgres, lambda connection: steps("CREATE TABLE a ()", "CREATE TABLE b ()"))
    assert exists(postgres, "a")
    assert exists(postgres, "b")
    assert made.text == "CREATE TABLE a ();\nCREATE TABLE b ();"


def test_or_nothing(postgres: str) -> None:
    with pytest.raises(PolicyError, match='nothing was changed: relation "nowhere" does not exist'):
        run_in_transaction(
            postgres, lambda connection: steps("CREATE TABLE a ()", "DROP TABLE IF EXISTS b", "TABLE nowhere")
        )
    assert not exists(postgres, "a")


def test_a_dry_run_does_nothing(postgres: str) -> None:
    assert run_in_transaction(postgres, lambda connection: steps("CREATE TABLE a ()"), dry=True).text
    assert not exists(postgres, "a")


def test_a_failure_holds_no_values(postgres: str) -> None:
    with pytest.raises(DataError, match=r"SQLSTATE 22P02.*nothing was changed") as caught:
        run_in_transaction(postgres, lambda connection: steps("SELECT 'canary'::integer"))
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_a_failure_of_our_own_passes(postgres: str) -> None:
    def failing(connection: object) -> TransactionSteps:
        raise PolicyError("ours")

    with pytest.raises(PolicyError, match="ours"):
        run_in_transaction(postgres, failing)


def test_a_database_out_of_reach(postgres: str) -> None:
    with pytest.raises(SfumatoError, match="cannot be reached") as caught:
        run_in_transaction(as_role(postgres, "nobody_at_all"), lambda connection: steps())
    assert "FATAL" not in str(caught.value)
    assert str(caught.value).endswith("Nothing was changed.")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transactions, "LOCK_SECONDS", 0.2)


def home(conninfo: str) -> None:
    with psycopg.connect(conninfo) as connection:
        connection.execute("CREATE SCHEMA sfumato")
        connection.execute(create_lock("sfumato"))


@pytest.mark.usefixtures("impatient")
def test_a_number_that_somebody_holds_does_not_hold_up_a_deployment(postgres: str) -> None:
    """Anybody who may log in can take the number; the table of the home schema nobody but its owner."""
    home(postgres)
    with psycopg.connect(postgres) as holder:
        holder.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        run_in_transaction(postgres, lambda connection: steps("CREATE TABLE a ()"))
    assert exists(postgres, "a")


@pytest.mark.usefixtures("impatient")
def test_what_a_session_holds_is_waited_for_and_not_for_ever(postgres: str) -> None:
    with psycopg.connect(postgres) as holder:
        holder.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        with pytest.raises(DataError, match="a session holds something that has to be changed") as caught:
            run_in_transaction(postgres, lambda connection: steps("CREATE TABLE a ()"))
    assert caught.value.__context__ is None
    assert not exists(postgres, "a")
    home(postgres)
    with psycopg.connect(postgres) as holder:
        holder.execute(f"LOCK TABLE sfumato.{LOCK_TABLE}".encode())
        with pytest.raises(DataError, match="end that session, or deploy again later"):
            run_in_transaction(postgres, lambda connection: steps("CREATE TABLE a ()"))
    with psycopg.connect(postgres) as holder:
        holder.execute("CREATE VIEW v AS SELECT 1 AS one")
        holder.commit()
        holder.execute("SELECT * FROM v")
        with pytest.raises(DataError, match="a login that has read a view"):
            run_in_transaction(postgres, lambda connection: steps("DROP VIEW v"))


def test_a_connection_may_say_how_long_it_waits(postgres: str) -> None:
    patient = psycopg.conninfo.make_conninfo(postgres, options="-c lock_timeout=123ms")
    found: list[object] = []

    def asked(connection: psycopg.Connection) -> TransactionSteps:
        found.extend(connection.execute("SHOW lock_timeout").fetchall())
        return steps()

    run_in_transaction(patient, asked)
    run_in_transaction(postgres, asked)
    assert found == [("123ms",), ("30s",)]


def test_a_deployment_that_is_taken_back_meanwhile(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table was there when it was looked for, and gone when it was to be locked."""
    monkeypatch.setattr(transactions, "_LOCK_TABLE_EXISTS", "SELECT %s, %s")
    with pytest.raises(DataError, match="another deployment ran at the same time") as caught:
        run_in_transaction(postgres, lambda connection: steps("CREATE TABLE a ()"))
    assert caught.value.__context__ is None
    assert not exists(postgres, "a")


def test_the_lock_comes_and_goes(postgres: str) -> None:
    home(postgres)
    assert exists(postgres, f"sfumato.{LOCK_TABLE}")
    run_in_transaction(postgres, lambda connection: TransactionSteps((create_lock("sfumato"), drop_lock("sfumato"))))
    assert not exists(postgres, f"sfumato.{LOCK_TABLE}")
