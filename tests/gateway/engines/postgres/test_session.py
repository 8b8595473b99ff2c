"""Sessions: one question at a time, in one round trip, and nothing of it outlives it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from time import monotonic
from typing import Any

import psycopg
import pytest

from sfumato.errors import DataError, LimitError, StatementError
from sfumato.gateway.engines.postgres.prepared_statements import Statement
from sfumato.gateway.engines.postgres.session import (
    ConnectionLost,
    DeadlineExceeded,
    OutdatedPlan,
    Session,
    SessionAnswer,
    SessionQuery,
)
from tests.postgres import Server, as_role


@pytest.fixture
def session(shared_postgres: str) -> Iterator[Session]:
    with closing(Session(shared_postgres)) as opened:
        yield opened


def ask(
    session: Session,
    text: str,
    *values: bytes,
    rows: int = 100,
    seconds: float = 5.0,
    schema: str | None = None,
    waits: float = 600.0,
) -> SessionAnswer:
    """The client waits for so much longer than the server's limit, that on a busy machine, too, the server is first."""
    statement = Statement(text.encode(), (0,) * len(values))
    return session.ask(
        SessionQuery(statement, values, round(seconds * 1000), rows, schema), monotonic() + seconds + waits
    )


def cells(answer: SessionAnswer) -> list[bytes | None]:
    return [piece.get_value(row, 0) for piece in answer.pieces for row in range(piece.ntuples)]


def test_it_can_be_kept_before_it_was_asked(session: Session) -> None:
    assert session.idle


def test_it_answers_again_and_again(session: Session) -> None:
    for number in range(10):
        assert cells(ask(session, "SELECT $1::text", b"%d" % number)) == [b"%d" % number]
    assert session.idle


def test_a_refusal_leaves_it_usable(session: Session) -> None:
    for _ in range(3):
        for wrong in ("SELECT 1 / 0", "SELECT nothing", "SELEC", "SELECT 'canary'::int", "SELECT 1; SELECT 2"):
            with pytest.raises(StatementError) as caught:
                ask(session, wrong)
            assert "canary" not in str(caught.value)
            assert caught.value.__context__ is None
        assert cells(ask(session, "SELECT 'x'")) == [b"x"]


def test_long_answers_come_in_pieces(session: Session) -> None:
    answer = ask(session, "SELECT i::text FROM generate_series(1, 12345) i", rows=20000)
    assert len(answer.pieces) > 2
    assert cells(answer) == [b"%d" % i for i in range(1, 12346)]


@pytest.mark.parametrize("rows", [0, 1, 9, 4999, 5000])
def test_too_many_rows_are_stopped(shared_postgres: str, rows: int) -> None:
    question = "SELECT i FROM generate_series(1, {}) i"
    session = Session(shared_postgres)
    assert len(cells(ask(session, question.format(rows), rows=rows))) == rows
    with pytest.raises(LimitError, match=f"more than the {rows} rows"):
        ask(session, question.format(rows + 1), rows=rows)
    assert not session.idle
    session.abandon()


def test_an_endless_answer_is_stopped_at_once(shared_postgres: str) -> None:
    session = Session(shared_postgres)
    pid = int(cells(ask(session, "SELECT pg_backend_pid()::text"))[0] or b"0")
    with pytest.raises(LimitError, match="rows"):
        ask(session, "SELECT generate_series(1, 1000000000000)", rows=10, seconds=3600)
    session.abandon()
    with psycopg.connect(shared_postgres, autocommit=True) as connection:
        while connection.execute("SELECT FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone() is not None:
            pass


def test_the_server_stops_in_time(session: Session) -> None:
    with pytest.raises(LimitError, match="took longer"):
        ask(session, "SELECT pg_sleep(3600)", seconds=0.2)
    assert cells(ask(session, "SELECT 'still there'")) == [b"still there"]


def test_the_limit_holds_after_a_refusal(session: Session) -> None:
    """A refused question takes its limit back with it, so that the next has to bring its own."""
    ask(session, "SELECT 1", seconds=9)
    with pytest.raises(StatementError):
        ask(session, "SELECT 1 / 0", seconds=9)
    with pytest.raises(LimitError, match="took longer"):
        ask(session, "SELECT pg_sleep(3600)", seconds=0.3)
    assert session.idle


def test_a_server_that_does_not_move_is_left(shared_postgres: str) -> None:
    """As when it is stuck: it cannot stop by itself, so the client does not wait for it."""
    session = Session(shared_postgres)
    pid = int(cells(ask(session, "SELECT pg_backend_pid()::text"))[0] or b"0")
    try:
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(DeadlineExceeded):
            ask(session, "SELECT 1", seconds=0.2, waits=0.02)
        session.abandon()
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_session_that_was_killed_is_lost(shared_postgres: str) -> None:
    with closing(Session(shared_postgres)) as session:
        pid = cells(ask(session, "SELECT pg_backend_pid()::text"))[0] or b""
        with psycopg.connect(shared_postgres) as connection:
            connection.execute("SELECT pg_terminate_backend(%s)", [int(pid)])
        for _ in range(2):
            with pytest.raises(ConnectionLost):
                ask(session, "SELECT 1")
        assert not session.idle


def test_it_is_read_only(session: Session) -> None:
    with pytest.raises(StatementError, match="only reading"):
        ask(session, "CREATE TABLE t ()")


def test_a_session_that_can_write_is_not_used_again(session: Session) -> None:
    ask(session, "SELECT set_config('default_transaction_read_only', 'off', false)")
    assert not session.idle


@pytest.mark.parametrize("text", ["BEGIN", "START TRANSACTION", "BEGIN ISOLATION LEVEL SERIALIZABLE"])
def test_a_session_that_is_left_in_a_transaction_is_not_used_again(shared_postgres: str, text: str) -> None:
    """Everything that is asked in it would see one moment, and one that failed would fail all others."""
    session = Session(shared_postgres)
    ask(session, text)
    assert not session.idle
    session.abandon()


def test_a_session_in_a_transaction_that_failed_is_not_used_again(shared_postgres: str) -> None:
    session = Session(shared_postgres)
    ask(session, "BEGIN")
    with pytest.raises(StatementError):
        ask(session, "SELECT 1 / 0")
    assert not session.idle
    session.abandon()


@pytest.mark.parametrize("text", ["COMMIT", "ROLLBACK"])
def test_a_transaction_that_ends_before_its_time_leaves_nothing_open(session: Session, text: str) -> None:
    ask(session, text)
    assert session.idle
    assert cells(ask(session, "SELECT 'x'")) == [b"x"]


class Stopping:
    """A connection that stops at one of its calls: the deadline comes before it, or the connection breaks."""

    def __init__(self, inner: Any, chosen: int, failure: type[Exception]) -> None:
        self.inner, self.chosen, self.failure, self.taken = inner, chosen, failure, 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.inner, name)
        if not callable(found) or name in ("finish", "get_cancel"):
            return found

        def call(*given: Any) -> Any:
            mine = self.taken == self.chosen
            self.taken += 1
            if mine:
                raise self.failure
            return found(*given)

        return call


@pytest.mark.parametrize("failure", [DeadlineExceeded, psycopg.OperationalError])
def test_whichever_step_is_late_or_broken_a_session_is_not_used_again(
    shared_postgres: str, failure: type[Exception]
) -> None:
    step, stopped = 0, True
    while stopped:
        with closing(Session(shared_postgres)) as session:
            ask(session, "SELECT 1")
            session._pg = Stopping(session._pg, step, failure)
            try:
                ask(session, "SELECT 2", schema="public")
            except (DeadlineExceeded, ConnectionLost):
                assert not session.idle
            stopped = session._pg.taken > step
            assert stopped or session.idle
        step += 1
    assert step > 8


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_session_in_another_encoding_is_not_used_again(session: Session, encoding: str) -> None:
    ask(session, "SELECT set_config('client_encoding', $1, false)", encoding.encode())
    assert not session.idle


def test_notices_are_not_heard(session: Session, capfd: pytest.CaptureFixture[str]) -> None:
    ask(session, "SELECT set_config('client_min_messages', 'debug5', true)")
    with pytest.raises(StatementError):
        ask(
            session,
            "DO $$ BEGIN RAISE WARNING 'canary'; RAISE EXCEPTION USING ERRCODE = '22000', MESSAGE = 'canary'; END $$",
        )
    assert capfd.readouterr() == ("", "")


def test_large_questions_and_answers_pass(session: Session) -> None:
    large = b"x" * 8_000_000
    assert cells(ask(session, "SELECT $1::text UNION ALL SELECT $1::text", large)) == [large, large]


def test_the_mark_is_read_beside_the_answer(postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as owner, closing(Session(postgres)) as session:
        owner.execute("CREATE SCHEMA s; COMMENT ON SCHEMA s IS 'one'")
        assert ask(session, "SELECT 1", schema="s").schema_comment == "one"
        owner.execute("COMMENT ON SCHEMA s IS 'two'")
        assert ask(session, "SELECT 1", schema="s").schema_comment == "two"
        assert ask(session, "SELECT 1", schema="nowhere").schema_comment is None
        with pytest.raises(StatementError, match="is out of the range of it"):
            ask(session, "SELECT 1 / 0", schema="s")
        assert ask(session, "SELECT 1", schema="s").schema_comment == "two"


def test_a_plan_that_does_not_fit_any_more_is_made_anew(postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as owner, closing(Session(postgres)) as session:
        owner.execute("CREATE VIEW v AS SELECT 1 AS a")
        for _ in range(3):
            ask(session, "SELECT * FROM v")
        owner.execute("DROP VIEW v; CREATE VIEW v AS SELECT 'x'::text AS a")
        with pytest.raises(OutdatedPlan):
            ask(session, "SELECT * FROM v")
        assert cells(ask(session, "SELECT * FROM v")) == [b"x"]


def test_many_different_questions_fill_nothing(session: Session) -> None:
    for number in range(450):
        for _ in range(2):
            ask(session, f"SELECT {number}")
    assert int(cells(ask(session, "SELECT count(*)::text FROM pg_prepared_statements"))[0] or b"") <= 202


def test_nobody_is_let_in(postgres_server: Server) -> None:
    with pytest.raises(DataError, match="is not deployed") as caught:
        Session(as_role(postgres_server.admin, "nobody_at_all"))
    assert caught.value.__context__ is None


def test_superusers_are_told(postgres_server: Server, session: Session) -> None:
    with closing(Session(postgres_server.admin)) as admin:
        assert admin.is_superuser
    assert not session.is_superuser


@pytest.mark.parametrize("copy", ["COPY (SELECT 1) TO STDOUT", "COPY (SELECT 1) TO STDOUT (FORMAT binary)"])
def test_a_copy_is_refused_and_costs_the_session(shared_postgres: str, copy: str) -> None:
    session = Session(shared_postgres)
    with pytest.raises(StatementError, match="only SELECT is allowed"):
        ask(session, copy)
    assert not session.idle
    session.abandon()


def test_no_time_limit_of_the_server_ends_the_connection(postgres: str) -> None:
    """It would be another error than the gateway's own limit, so that a slow row could be told from one that fails."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        if connection.info.server_version < 170000:
            pytest.skip("transactions have no time limit before PostgreSQL 17")
        connection.execute("ALTER ROLE CURRENT_USER SET transaction_timeout = '1s'")
    with closing(Session(postgres)) as session:
        assert cells(ask(session, "SELECT current_setting('transaction_timeout')")) == [b"0"]
