"""The PostgreSQL engine: runs queries as a role that can read masked relations and nothing else.

`PostgresSource` keeps one `PostgresEngine` per purpose. The engine binds parameters, takes a session from its pool,
retries where a connection broke, and turns the result into Arrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from time import monotonic
from types import TracebackType
from typing import Any

import psycopg
import pyarrow as pa

from sfumato.errors import LimitError, PolicyError, SfumatoError, StatementError, UnreachableError
from sfumato.gateway.engines.postgres.columns import CONVERTERS, column
from sfumato.gateway.engines.postgres.connections import NOT_DEPLOYED, connect, connection_error
from sfumato.gateway.engines.postgres.deployment.ownership_comments import OwnershipComment
from sfumato.gateway.engines.postgres.deployment.statements import OWNER_SCHEMA
from sfumato.gateway.engines.postgres.error_messages import error_for_state
from sfumato.gateway.engines.postgres.parameters import bind_parameters
from sfumato.gateway.engines.postgres.prepared_statements import Statement
from sfumato.gateway.engines.postgres.session import (
    ConnectionLost,
    DeadlineExceeded,
    OutdatedPlan,
    Session,
    SessionAnswer,
    SessionQuery,
)
from sfumato.gateway.engines.postgres.session_pool import SessionPool
from sfumato.gateway.engines.postgres.table_catalogue import column_types

GRACE = 0.02
"""Seconds that the server may take, after the time limit, to stop by itself before the client cancels the query."""

ATTEMPTS = 3
"""How often a query is tried on a fresh session when the connection was lost or a prepared plan was outdated."""
CONNECTIONS = 8
"""Default number of connections per engine, which is the number of queries that run at once."""

FIRST_USER_TYPE = 16_384
"""The first type number that a database assigns itself; smaller ones are the same in every database."""

_QUERY_CANCELED = "57014"
"""The state of a query that PostgreSQL cancelled because of a time limit."""

_OID = 26
"""The type number of an object identifier."""

_LOOKUP_MS = 5000
"""Time limit of a lookup in the system tables, in milliseconds."""

_TEXTUAL = "SELECT typtype = 'e' OR typcategory = 'S' FROM pg_type WHERE oid = $1"


@dataclass(frozen=True)
class Epoch:
    """The deployment that an answer must come from: a schema, and the digest of the policy it was deployed from."""

    schema: str
    digest: str


class PostgresEngine:
    """Runs queries on the masked relations of a PostgreSQL database, from any number of threads.

    `conninfo` connects as the role of the gateway. `owner` connects as the owner of the tables and is used only to look
    up column types and whether a role exists. Statements take parameters as `$1`, `$2`. Each runs in a read-only
    transaction of its own, with a time limit that the server enforces and the client watches. The server's error
    messages are never passed on, because they can quote values.
    """

    name = "postgres"

    def __init__(self, conninfo: str, *, owner: str | None = None, size: int = CONNECTIONS) -> None:
        self._conninfo, self._owner = conninfo, owner
        self._pool = SessionPool(self._open_session, size)
        self._textual: dict[int, bool] = {}

    def ask(
        self, sql: str, parameters: Sequence[object] = (), *, seconds: float, rows: int, epoch: Epoch | None = None
    ) -> pa.Table:
        """Run a statement and return at most `rows` rows within `seconds`.

        With `epoch`, the answer is discarded if the schema was deployed from another policy when the query ran.
        """
        deadline = monotonic() + seconds + GRACE
        bound = bind_parameters(parameters)
        query = SessionQuery(
            Statement(_encoded(sql), bound.types),
            bound.values,
            max(1, round(seconds * 1000)),
            rows,
            None if epoch is None else epoch.schema,
        )
        answer = (
            self._ask_with_retries(query, deadline) if epoch is None else self._ask_deployed(query, deadline, epoch)
        )
        # Checked after the query, on the comment that was read in the same
        # transaction: a deployment that ran in between would otherwise go unnoticed.
        _demand_epoch(answer, epoch)
        return self._table(answer, deadline)

    def types(self, table: str, schema: str = OWNER_SCHEMA) -> dict[str, str]:
        """The columns of one of the owner's tables and the PostgreSQL names of their types."""
        if self._owner is None:
            raise PolicyError(
                "the connection of the owner of the tables is not set, so their types cannot be looked up."
            )
        try:
            with connect(self._owner) as connection:
                return column_types(connection, table, schema, hint=True)
        except psycopg.Error as error:
            failure = connection_error(error)
        raise failure  # outside the except block, so that the server's message is not its context

    def deployed_digest(self, schema: str) -> str | None:
        """The digest of the policy that a schema was deployed from; None if it was not deployed."""
        query = SessionQuery(Statement(b"SELECT 1", ()), (), _LOOKUP_MS, 1, schema)
        return _digest(self._ask_with_retries(query, monotonic() + _LOOKUP_MS / 1000).schema_comment)

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()

    def __enter__(self) -> PostgresEngine:
        """The engine itself; it is closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close every connection."""
        self.close()

    def _ask_deployed(self, query: SessionQuery, deadline: float, epoch: Epoch) -> SessionAnswer:
        """Run a query on a deployed schema; if it fails because nothing is deployed, say so."""
        try:
            return self._ask_with_retries(query, deadline)
        except StatementError as error:
            failure: SfumatoError = error
        # A missing relation usually means that the policy is not deployed; the caller should hear that instead.
        if self.deployed_digest(epoch.schema) is None:
            failure = UnreachableError(NOT_DEPLOYED)
        raise failure

    def _open_session(self) -> Session:
        """Connect as the gateway's role; refuse a superuser, and report a role that was never deployed."""
        try:
            session = Session(self._conninfo)
        except UnreachableError as error:
            session, failure = None, error
        if session is None:
            raise UnreachableError(NOT_DEPLOYED) if failure.turned_away and self._role_is_missing() else failure
        if session.is_superuser:
            session.close()
            raise PolicyError(
                "the gateway must not connect as a superuser, who sees everything; connect as its own role."
            )
        return session

    def _role_is_missing(self) -> bool:
        """Whether the owner sees no role with the gateway's user name.

        A server that asks for a password gives the same error for a wrong password and for a role that does not exist,
        so the owner's connection has to tell the two apart.
        """
        role = psycopg.conninfo.conninfo_to_dict(self._conninfo).get("user")
        if self._owner is None or role is None:
            return False
        with suppress(psycopg.Error), connect(self._owner) as connection:
            return not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchall()
        return False

    def _ask_with_retries(self, query: SessionQuery, deadline: float) -> SessionAnswer:
        """Run a query, again if the connection was already broken or the prepared plan was outdated."""
        for _ in range(ATTEMPTS):
            outcome = self._attempt(query, deadline)
            if isinstance(outcome, SessionAnswer):
                return outcome
            if outcome is not None:
                raise outcome
        raise LimitError("the database ended the connection while it was answering; ask for less, or later.")

    def _attempt(self, query: SessionQuery, deadline: float) -> SessionAnswer | SfumatoError | None:
        """The answer, the error to raise, or None if another attempt is worthwhile."""
        try:
            with self._pool.session(deadline) as session:
                return session.ask(query, deadline)
        except DeadlineExceeded:
            return error_for_state(_QUERY_CANCELED)
        except ConnectionLost:
            # A restarted server broke all connections; without this, each retry could get another broken one.
            self._pool.drop_idle()
        except OutdatedPlan:
            pass
        return None

    def _table(self, answer: SessionAnswer, deadline: float) -> pa.Table:
        """The result pieces as one Arrow table."""
        # The last piece always exists, also for an answer without rows, and all pieces have the same columns.
        first = answer.pieces[-1]
        names = [(first.fname(place) or b"").decode("utf-8", "replace") for place in range(first.nfields)]
        types = [first.ftype(place) for place in range(first.nfields)]
        textual = {kind for kind in types if self._is_textual(kind, deadline)}
        filled = [piece for piece in answer.pieces if piece.ntuples]
        columns = [
            column(name, types[place], first.fmod(place), _cells(filled, place), textual=textual)
            for place, name in enumerate(names)
        ]
        return pa.Table.from_arrays(columns, names=names)

    def _is_textual(self, kind: int, deadline: float) -> bool:
        """Whether a user-defined type is sent as text, such as an enumeration; looked up once per type."""
        if kind in CONVERTERS or kind < FIRST_USER_TYPE:
            return False
        if kind not in self._textual:
            query = SessionQuery(Statement(_TEXTUAL.encode(), (_OID,)), (str(kind).encode(),), _LOOKUP_MS, 1)
            pieces = self._ask_with_retries(query, deadline).pieces
            self._textual[kind] = any(cell == b"\x01" for cell in _cells(pieces, 0))
        return self._textual[kind]


def _encoded(sql: str) -> bytes:
    """The statement as UTF-8; refuses lone surrogates and the NUL character, which PostgreSQL cannot take."""
    encoded = sql.encode("utf-8", "ignore")
    if "\0" in sql or encoded.decode() != sql:
        raise StatementError("the question has a character that PostgreSQL does not support.")
    return encoded


def _cells(pieces: list[Any], place: int) -> list[bytes | None]:
    """All values of one column, over all pieces of a result."""
    if len(pieces) == 1:
        return [pieces[0].get_value(row, place) for row in range(pieces[0].ntuples)]
    return list(chain.from_iterable([p.get_value(row, place) for row in range(p.ntuples)] for p in pieces))


@lru_cache(maxsize=64)
def _digest(comment: str) -> str | None:
    """The digest in the comment on a schema; cached, because it is the same for every answer."""
    ownership = OwnershipComment.read(comment)
    return None if ownership is None else ownership.digest


def _demand_epoch(answer: SessionAnswer, epoch: Epoch | None) -> None:
    """Refuse an answer from a schema that is not deployed, or that was deployed from another policy."""
    if epoch is None:
        return
    if answer.schema_comment is None:
        raise UnreachableError(NOT_DEPLOYED)
    if _digest(answer.schema_comment) != epoch.digest:
        raise PolicyError("the database was deployed from another policy than this gateway has; deploy again.")
