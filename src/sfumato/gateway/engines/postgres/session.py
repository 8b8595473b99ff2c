"""Session: one connection of the gateway's role, on which one question is asked at a time, in a single round trip."""

from __future__ import annotations

import select
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from time import monotonic
from typing import Any

import psycopg
from psycopg import pq
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, TransactionStatus

from sfumato.errors import RowLimitError, StatementError
from sfumato.gateway.engines.postgres.connections import connect, connection_error
from sfumato.gateway.engines.postgres.error_messages import error_for_state
from sfumato.gateway.engines.postgres.prepared_statements import PreparedStatements, Statement

START = """
SET default_transaction_read_only = on; SET client_min_messages = error; SET jit = off; SET TimeZone = 'UTC';
SET DateStyle = ISO; SET IntervalStyle = postgres; SET standard_conforming_strings = on; SET lock_timeout = '5s';
SET idle_in_transaction_session_timeout = '60s'; SET client_encoding = 'UTF8'; SET extra_float_digits = 1;
SET bytea_output = hex;
SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'
"""
REQUIRED_SETTINGS = {b"default_transaction_read_only": b"on", b"client_encoding": b"UTF8"}
"""What a session must still have after a question, to be used again."""

SCHEMA_COMMENT = b"""
SELECT description FROM pg_description
WHERE objoid = to_regnamespace($1) AND classoid = 'pg_namespace'::regclass AND objsubid = 0
"""
"""The comment on a schema, which says what it was deployed from; one index scan, since it goes with every question."""

SCHEMA_COMMENT_NAME = b"schema_comment"
_HAS_CHUNKS = pq.version() >= 170_000
CHUNK = 5_000
EXPECTED_STATUSES = {
    ExecStatus.TUPLES_OK,
    ExecStatus.TUPLES_CHUNK,
    ExecStatus.SINGLE_TUPLE,
    ExecStatus.COMMAND_OK,
    ExecStatus.EMPTY_QUERY,
    ExecStatus.FATAL_ERROR,
    ExecStatus.PIPELINE_ABORTED,
}
CONNECT_SECONDS = 5


class ConnectionLost(Exception):
    """The connection broke, or was broken before."""


class DeadlineExceeded(Exception):
    """The server did not answer in time, and did not stop by itself either."""


class OutdatedPlan(Exception):
    """What was prepared does not fit the relations any more; asking again prepares it anew."""


@dataclass(frozen=True)
class SessionQuery:
    """A question, its limits, and the schema whose mark is to be read beside the answer."""

    statement: Statement
    values: tuple[bytes | None, ...]
    milliseconds: int
    rows: int
    schema: str | None = None


@dataclass(frozen=True)
class SessionAnswer:
    """What came back, in pieces of equal shape, and the mark of the schema at the time of the answer."""

    pieces: list[Any]
    schema_comment: str | None


class Session:
    """A connection that stays in pipeline mode, `idle` while nothing is under way on it.

    Time limit, question and mark go out together, and are one transaction, read-only because the session is. The mark
    is read after the question: what was asked holds its relations locked by then, so both are of the same deployment. A
    session that is not read-only any more, or that a question left inside a transaction or in another encoding, is not
    used again.
    """

    def __init__(self, conninfo: str) -> None:
        self._connection = _open_connection(conninfo)
        self._pg: Any = self._connection.pgconn
        self._pg.prepare(SCHEMA_COMMENT_NAME, SCHEMA_COMMENT)
        self._pg.nonblocking = 1
        self._pg.enter_pipeline_mode()
        self._prepared = PreparedStatements()
        self._milliseconds: int | None = None
        self._poll = select.poll()
        self._poll.register(self._pg.socket, select.POLLIN)
        self.queries = 0
        self.idle = True

    def ask(self, query: SessionQuery, deadline: float) -> SessionAnswer:
        """The answer; any refusal is one of our own errors, and leaves the session usable."""
        self.queries += 1
        self.idle = False
        if self._pg.status != ConnStatus.OK:
            raise ConnectionLost
        try:
            return self._run_pipeline(query, deadline)
        except psycopg.OperationalError:
            pass
        raise ConnectionLost

    @property
    def is_superuser(self) -> bool:
        """Whether the role may do everything, as the server said when it let us in."""
        return bool(self._pg.parameter_status(b"is_superuser") == b"on")

    def abandon(self) -> None:
        """Stops whatever runs, without waiting for the server, and closes."""
        with suppress(psycopg.Error):
            cancel = self._pg.get_cancel()
            Thread(target=_cancel, args=[cancel], daemon=True).start()
        self.close()

    def close(self) -> None:
        """Gives the connection back."""
        self._connection.close()

    def _run_pipeline(self, query: SessionQuery, deadline: float) -> SessionAnswer:
        name, fresh = self._prepared.name_for(query.statement)
        before = self._send(query, name, fresh)
        self._flush(deadline)
        states = [self._error_state(deadline) for _ in range(before)]
        pieces, state = self._rows(query.rows, deadline)
        schema_comment = self._read_schema_comment(deadline) if query.schema is not None else None
        self._sync(deadline)
        self.idle = self._is_reusable()
        self._raise_refusal(
            query, [state for state in [*states, state] if state is not None], prepared=name is not None
        )
        self._milliseconds = query.milliseconds
        return SessionAnswer(pieces, schema_comment)

    def _send(self, query: SessionQuery, name: bytes | None, fresh: bool) -> int:
        """Sends everything; how many commands go before the question."""
        statement = query.statement
        closing = self._prepared.take_unused()
        for unused in closing:
            self._pg.send_close_prepared(unused)
        limits = query.milliseconds != self._milliseconds
        if limits:
            self._pg.send_query_params(b"SET statement_timeout = %d" % query.milliseconds, None)
        if fresh:
            self._pg.send_prepare(name, statement.text, statement.types)
        if name is not None:
            self._pg.send_query_prepared(name, query.values, None, pq.Format.BINARY)
        else:
            self._pg.send_query_params(statement.text, query.values, statement.types, None, pq.Format.BINARY)
        if query.schema is not None:
            self._pg.send_query_prepared(SCHEMA_COMMENT_NAME, [_quoted(query.schema)])
        self._pg.pipeline_sync()
        return len(closing) + limits + fresh

    def _is_reusable(self) -> bool:
        """Whether the connection can take another question: whole, read-only, in UTF-8, and inside no transaction."""
        unchanged = all(self._pg.parameter_status(name) == value for name, value in REQUIRED_SETTINGS.items())
        outside = self._pg.transaction_status == TransactionStatus.IDLE
        return bool(self._pg.status == ConnStatus.OK and unchanged and outside)

    def _rows(self, limit: int, deadline: float) -> tuple[list[Any], str | None]:
        """Pieces of the answer, and why there is none; stops as soon as there are too many rows."""
        if _HAS_CHUNKS:
            self._pg.set_chunked_rows_mode(min(CHUNK, limit + 1))
        else:
            self._pg.set_single_row_mode()
        pieces, count, state = [], 0, None
        for result in self._results(deadline):
            if result.status in (ExecStatus.FATAL_ERROR, ExecStatus.PIPELINE_ABORTED):
                state = _state(result)
                continue
            pieces.append(result)
            count += result.ntuples
            if count > limit:
                raise RowLimitError(f"the answer has more than the {limit} rows that are allowed; ask for less.")
        return pieces, state

    def _read_schema_comment(self, deadline: float) -> str | None:
        found = None
        for result in self._results(deadline):
            if result.status == ExecStatus.TUPLES_OK and result.ntuples:
                found = result.get_value(0, 0)
        return None if found is None else found.decode()

    def _error_state(self, deadline: float) -> str | None:
        """Why a command was refused; None where it was not."""
        states = [_state(result) for result in self._results(deadline) if result.status == ExecStatus.FATAL_ERROR]
        return states[0] if states else None

    def _sync(self, deadline: float) -> None:
        result = self._result(deadline)
        if result is None or result.status != ExecStatus.PIPELINE_SYNC:
            raise ConnectionLost

    def _results(self, deadline: float) -> Iterator[Any]:
        """Results of one command; a copy would have no end, because nobody takes what it sends."""
        while (result := self._result(deadline)) is not None:
            if result.status not in EXPECTED_STATUSES:
                raise StatementError("the question is no question; only SELECT is offered.")
            yield result

    def _result(self, deadline: float) -> Any:
        while self._pg.is_busy():
            self._wait(deadline)
            self._pg.consume_input()
        return self._pg.get_result()

    def _flush(self, deadline: float) -> None:
        """A question too long to be taken at once is sent while reading, or both sides would wait for each other."""
        while self._pg.flush():
            self._poll.modify(self._pg.socket, select.POLLIN | select.POLLOUT)
            if self._wait(deadline) & ~select.POLLOUT:
                self._pg.consume_input()
            self._poll.modify(self._pg.socket, select.POLLIN)

    def _wait(self, deadline: float) -> int:
        """What the connection is ready for; for a broken one too, and then whoever looks finds out."""
        ready = self._poll.poll(max(0.0, deadline - monotonic()) * 1000)
        if not ready:
            raise DeadlineExceeded
        return ready[0][1]

    def _raise_refusal(self, query: SessionQuery, states: list[str], *, prepared: bool) -> None:
        if not states:
            return
        self._milliseconds = None  # it was rolled back with the rest
        self._prepared.forget(query.statement)
        if prepared and states[0] in ("0A000", "26000"):
            raise OutdatedPlan
        if self._pg.status != ConnStatus.OK:
            raise ConnectionLost
        raise error_for_state(states[0])


def _open_connection(conninfo: str) -> psycopg.Connection[Any]:
    """Connects, or says that it cannot without the engine's words."""
    connection, failure = None, error_for_state("08001")
    try:
        given = psycopg.conninfo.conninfo_to_dict(conninfo)
        timeout = given.get("connect_timeout", CONNECT_SECONDS)
        connection = connect(conninfo, autocommit=True, connect_timeout=timeout)
        connection.execute(START)
    except psycopg.Error as error:
        failure = connection_error(error, as_deployed=True)
    if connection is None or connection.closed:
        raise failure  # raised out here, so that the engine's own words do not hang on it
    return connection


def _quoted(schema: str) -> bytes:
    """A name as an identifier: to_regnamespace reads it as SQL does."""
    return b'"%s"' % schema.replace('"', '""').encode()


def _state(result: Any) -> str:
    state = result.error_field(DiagnosticField.SQLSTATE)
    return "08006" if state is None else state.decode()


def _cancel(cancel: Any) -> None:
    with suppress(psycopg.Error):
        cancel.cancel()
