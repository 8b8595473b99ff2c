"""One connection of the gateway's role, on which one query runs at a time, in a single round trip.

`SessionPool` opens sessions and hands them out; `PostgresEngine` sends queries through them. A session uses libpq's
pipeline mode: the time limit, the query and the read of the schema's comment are sent together.
"""

from __future__ import annotations

import select
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
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
"""Settings of a new session: read-only, UTC, UTF-8, fixed text formats, and limits on waiting and idling."""
REQUIRED_SETTINGS = {b"default_transaction_read_only": b"on", b"client_encoding": b"UTF8"}
"""Settings that a session must still have after a query to be used again."""

SCHEMA_COMMENT = b"""
SELECT description FROM pg_description
WHERE objoid = to_regnamespace($1) AND classoid = 'pg_namespace'::regclass AND objsubid = 0
"""
"""Reads the comment on a schema, which holds the digest of the deployed policy. It runs with every query, so it uses
one index scan."""

SCHEMA_COMMENT_NAME = b"schema_comment"
_HAS_CHUNKS = pq.version() >= 170_000
CHUNK = 5_000
"""Rows per piece of a result, if the client library can fetch pieces."""
EXPECTED_STATUSES = {
    ExecStatus.TUPLES_OK,
    ExecStatus.TUPLES_CHUNK,
    ExecStatus.SINGLE_TUPLE,
    ExecStatus.COMMAND_OK,
    ExecStatus.EMPTY_QUERY,
    ExecStatus.FATAL_ERROR,
    ExecStatus.PIPELINE_ABORTED,
}
"""Results that a query can have; any other, such as the start of a COPY, is refused."""
CONNECT_SECONDS = 5


class ConnectionLost(Exception):
    """The connection broke during the query, or was already broken."""


class DeadlineExceeded(Exception):
    """The server neither answered in time nor stopped by itself."""


class OutdatedPlan(Exception):
    """The prepared plan no longer fits the relations; the next attempt prepares it again."""


@dataclass(frozen=True)
class SessionQuery:
    """A statement with its values and limits, and the schema whose comment is read after it."""

    statement: Statement
    values: tuple[bytes | None, ...] = field(repr=False)
    milliseconds: int
    rows: int
    schema: str | None = None


@dataclass(frozen=True)
class SessionAnswer:
    """The result in pieces with the same columns, and the comment of the schema when the query ran."""

    pieces: list[Any] = field(repr=False)
    schema_comment: str | None


class Session:
    """A connection that stays in pipeline mode; `idle` is False while a query runs on it.

    Time limit, query and comment are one transaction, which is read-only because the session is. The comment is read
    after the query: the query holds locks on its relations by then, so both belong to the same deployment. A session is
    not used again if a query changed its read-only setting or its encoding, or left a transaction open.
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
        self.idle = True

    def ask(self, query: SessionQuery, deadline: float) -> SessionAnswer:
        """Run a query; every refusal is an error of this library and leaves the session usable."""
        # Set before anything is sent. If an exception leaves this
        # method, the pool closes the session instead of reusing it.
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
        """Whether the role is a superuser, as the server reported when the session began."""
        return bool(self._pg.parameter_status(b"is_superuser") == b"on")

    def abandon(self) -> None:
        """Cancel the running query without waiting for the server, and close."""
        with suppress(psycopg.Error):
            cancel = self._pg.get_cancel()
            Thread(target=_cancel, args=[cancel], daemon=True).start()
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _run_pipeline(self, query: SessionQuery, deadline: float) -> SessionAnswer:
        """Send everything, read the results in order, and decide whether the session can be used again."""
        name, fresh = self._prepared.name_for(query.statement)
        before = self._send(query, name, fresh)
        self._flush(deadline)
        # Results arrive in the order of the commands: closes, SET
        # and PREPARE first, then the query, then the comment.
        states = [self._error_state(deadline) for _ in range(before)]
        pieces, state = self._rows(query.rows, deadline)
        schema_comment = self._read_schema_comment(deadline) if query.schema is not None else None
        self._sync(deadline)
        self.idle = self._is_reusable()
        self._raise_refusal(
            query, [state for state in [*states, state] if state is not None], prepared=name is not None
        )
        # The setting survives only if the whole pipeline succeeded, because it is one transaction.
        self._milliseconds = query.milliseconds
        return SessionAnswer(pieces, schema_comment)

    def _send(self, query: SessionQuery, name: bytes | None, fresh: bool) -> int:
        """Send all commands; return how many come before the query."""
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
        """Whether the connection can take another query: intact, read-only, in UTF-8, and outside a transaction."""
        unchanged = all(self._pg.parameter_status(name) == value for name, value in REQUIRED_SETTINGS.items())
        outside = self._pg.transaction_status == TransactionStatus.IDLE
        return bool(self._pg.status == ConnStatus.OK and unchanged and outside)

    def _rows(self, limit: int, deadline: float) -> tuple[list[Any], str | None]:
        """The pieces of the result and the SQLSTATE of its error, if any; stops as soon as there are too many rows."""
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
            # The rest of the result is not read; the session is
            # abandoned, because its connection is still busy with it.
            if count > limit:
                raise RowLimitError(f"the answer has more than the {limit} rows that are allowed; ask for less.")
        return pieces, state

    def _read_schema_comment(self, deadline: float) -> str | None:
        """The comment on the schema; None if the schema or the comment does not exist."""
        found = None
        for result in self._results(deadline):
            if result.status == ExecStatus.TUPLES_OK and result.ntuples:
                found = result.get_value(0, 0)
        return None if found is None else found.decode()

    def _error_state(self, deadline: float) -> str | None:
        """The SQLSTATE of a refused command; None if it succeeded."""
        states = [_state(result) for result in self._results(deadline) if result.status == ExecStatus.FATAL_ERROR]
        return states[0] if states else None

    def _sync(self, deadline: float) -> None:
        """Read the end of the pipeline."""
        result = self._result(deadline)
        if result is None or result.status != ExecStatus.PIPELINE_SYNC:
            raise ConnectionLost

    def _results(self, deadline: float) -> Iterator[Any]:
        """The results of one command; a COPY is refused, because it would wait for data that is never read or sent."""
        while (result := self._result(deadline)) is not None:
            if result.status not in EXPECTED_STATUSES:
                raise StatementError("the question is not a SELECT; only SELECT is allowed.")
            yield result

    def _result(self, deadline: float) -> Any:
        """The next result; None at the end of a command."""
        while self._pg.is_busy():
            self._wait(deadline)
            self._pg.consume_input()
        return self._pg.get_result()

    def _flush(self, deadline: float) -> None:
        """Send what is buffered, reading results meanwhile.

        A long query fills the buffers of both sides; without reading, client and server would wait for each other.
        """
        while self._pg.flush():
            self._poll.modify(self._pg.socket, select.POLLIN | select.POLLOUT)
            if self._wait(deadline) & ~select.POLLOUT:
                self._pg.consume_input()
            self._poll.modify(self._pg.socket, select.POLLIN)

    def _wait(self, deadline: float) -> int:
        """Wait until the connection is readable or writable; a broken one counts as ready, and reading it raises."""
        ready = self._poll.poll(max(0.0, deadline - monotonic()) * 1000)
        if not ready:
            raise DeadlineExceeded
        return ready[0][1]

    def _raise_refusal(self, query: SessionQuery, states: list[str], *, prepared: bool) -> None:
        """Raise the error of a refused query; forget its prepared plan, which may not exist."""
        if not states:
            return
        self._milliseconds = None  # the SET was rolled back with the query
        self._prepared.forget(query.statement)
        # 0A000 is also the state of some row failures. The statement was forgotten above, so the next attempt runs
        # unprepared and reports such a failure as it is.
        if prepared and states[0] in ("0A000", "26000"):
            raise OutdatedPlan
        if self._pg.status != ConnStatus.OK:
            raise ConnectionLost
        raise error_for_state(states[0])


def _open_connection(conninfo: str) -> psycopg.Connection[Any]:
    """Connect and set the session up; a failure carries none of the server's text."""
    connection, failure = None, error_for_state("08001")
    try:
        given = psycopg.conninfo.conninfo_to_dict(conninfo)
        timeout = given.get("connect_timeout", CONNECT_SECONDS)
        connection = connect(conninfo, autocommit=True, connect_timeout=timeout)
        connection.execute(START)
    except psycopg.Error as error:
        failure = connection_error(error, as_deployed=True)
    if connection is None or connection.closed:
        raise failure  # outside the except block, so that the server's message is not its context
    return connection


def _quoted(schema: str) -> bytes:
    """A schema name as a quoted identifier, which is how `to_regnamespace` reads it."""
    return b'"%s"' % schema.replace('"', '""').encode()


def _state(result: Any) -> str:
    """The SQLSTATE of a failed result; a result without one means that the connection broke."""
    state = result.error_field(DiagnosticField.SQLSTATE)
    return "08006" if state is None else state.decode()


def _cancel(cancel: Any) -> None:
    """Ask the server to cancel; runs in a thread of its own, because it opens another connection."""
    with suppress(psycopg.Error):
        cancel.cancel()
