from __future__ import annotations

from typing import Any

import duckdb
import pytest

from sfumato.gateway.engines.duckdb.transaction import READ_ONLY, Transaction
from sfumato.gateway.engines.failure_messages import UnusableEngine
from tests.gateway.engines.stepped import WAYS, Stepped, Steps


@pytest.fixture
def con() -> Any:
    return duckdb.connect()


def tables(con: Any) -> list[str]:
    return [name for (name,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall()]


def run(con: Any, *statements: str, commit: bool = False) -> None:
    with Transaction(con) as transaction:
        for statement in statements:
            con.execute(statement)
        if commit:
            transaction.commit()


def test_what_was_not_committed_is_gone(con: Any) -> None:
    with Transaction(con):
        con.execute("CREATE TABLE a (i INT)")
    with pytest.raises(duckdb.ConversionException):
        run(con, "CREATE TABLE b (i INT)", "SELECT CAST('x' AS INT)")
    assert tables(con) == []


def test_what_was_committed_stays(con: Any) -> None:
    with Transaction(con) as transaction:
        con.execute("CREATE TABLE a (i INT)")
        transaction.commit()
    assert tables(con) == ["a"]


def test_one_that_only_reads_cannot_write(con: Any) -> None:
    with pytest.raises(duckdb.Error, match="read-only"), Transaction(con, READ_ONLY):
        con.execute("CREATE TABLE a (i INT)")
    assert tables(con) == []


def test_one_inside_another_is_unsound(con: Any) -> None:
    con.execute("BEGIN TRANSACTION")
    with pytest.raises(UnusableEngine), Transaction(con):
        pytest.fail("not reached")


def test_one_that_ended_before_its_end_is_unsound(con: Any) -> None:
    with pytest.raises(UnusableEngine):
        run(con, "ROLLBACK")


def test_a_commit_that_fails_has_ended_it(con: Any) -> None:
    with pytest.raises(duckdb.Error, match="cannot commit"):
        run(con, "ROLLBACK", commit=True)
    with Transaction(con):
        con.execute("SELECT 1")


def test_an_answer_that_is_still_open_is_unsound(con: Any) -> None:
    with Transaction(con):
        rows = con.sql("SELECT * FROM range(1000000)")
    transaction = Transaction(con, READ_ONLY)
    transaction.__enter__()
    reader = rows.to_arrow_reader(10)
    next(reader)
    with pytest.raises(UnusableEngine):
        transaction.__exit__(None, None, None)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("step", range(3))
def test_whichever_step_is_interrupted_it_is_over_or_unsound(con: Any, way: str, step: int) -> None:
    steps = Steps(con.interrupt)
    steps.choose(step, way)
    try:
        with Transaction(Stepped(con, steps)) as transaction:
            con.execute("CREATE TABLE a (i INT)")
            if step == 1:
                transaction.commit()
    except UnusableEngine:
        return
    except duckdb.InterruptException:
        pass
    assert steps.taken >= 2
    con.execute("BEGIN TRANSACTION")


def test_the_fault_is_that_of_the_question(con: Any) -> None:
    with pytest.raises(UnusableEngine, match="conversion"):
        run(con, "ROLLBACK", "SELECT CAST('x' AS INT)")
    with pytest.raises(UnusableEngine, match="ended"):
        run(con, "ROLLBACK")
