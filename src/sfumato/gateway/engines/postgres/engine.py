"""The PostgreSQL engine: asks a database as a role that can read masked relations and nothing else."""

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
from sfumato.gateway.engines.postgres.shapes import column_types

GRACE = 0.02
"""How long after its time the server may say itself that it stopped, before it is stopped from here."""

ATTEMPTS = 3
CONNECTIONS = 8
"""So many questions are asked at once, unless somebody says otherwise."""

FIRST_USER_TYPE = 16_384
"""Types with smaller numbers are the same in every database."""

_TEXTUAL = "SELECT typtype = 'e' OR typcategory = 'S' FROM pg_type WHERE oid = $1"


@dataclass(frozen=True)
class Epoch:
    """The policy that a schema must have been deployed from, for an answer from it to count."""

    schema: str
    digest: str


class PostgresEngine:
    """Questions to the masked relations of a PostgreSQL database, from any number of threads.

    `conninfo` is how the gateway's role connects, `owner` how the owner of the tables does, who is asked for types
    only. Statements come with `$1`, `$2` for parameters. Each is asked in a read-only transaction of its own, with a
    time limit that the server keeps and the client watches over. What the engine itself says about a failure is never
    passed on.
    """

    name = "postgres"

    def __init__(self, conninfo: str, *, owner: str | None = None, size: int = CONNECTIONS) -> None:
        self._conninfo, self._owner = conninfo, owner
        self._pool = SessionPool(self._open_session, size)
        self._textual: dict[int, bool] = {}

    def ask(
        self, sql: str, parameters: Sequence[object] = (), *, seconds: float, rows: int, epoch: Epoch | None = None
    ) -> pa.Table:
        """The answer, of at most so many rows within so many seconds.

        With `epoch` the answer is thrown away if the schema was deployed from another policy by the time it was given.
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
        _demand_epoch(answer, epoch)
        return self._table(answer, deadline)

    def types(self, table: str, schema: str | None = None) -> dict[str, str]:
        """The columns of one of the owner's tables, and what PostgreSQL calls their types."""
        if self._owner is None:
            raise PolicyError("nobody said how the owner of the tables connects, so their types cannot be looked up.")
        try:
            with connect(self._owner) as connection:
                return column_types(connection, table, schema, hint=True)
        except psycopg.Error as error:
            failure = connection_error(error)
        raise failure  # raised out here, so that the engine's own words do not hang on it

    def epoch(self, schema: str) -> str | None:
        """The digest of the policy that a schema was deployed from; None where it was not deployed."""
        found = self._ask_with_retries(SessionQuery(Statement(b"SELECT 1", ()), (), 5000, 1, schema), monotonic() + 5)
        ownership = OwnershipComment.read(found.schema_comment)
        return None if ownership is None else ownership.digest

    def close(self) -> None:
        """Closes every connection."""
        self._pool.close()

    def __enter__(self) -> PostgresEngine:
        """Closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes."""
        self.close()

    def _ask_deployed(self, query: SessionQuery, deadline: float, epoch: Epoch) -> SessionAnswer:
        """The answer; where a question fails because nothing is deployed, that is told."""
        try:
            return self._ask_with_retries(query, deadline)
        except StatementError as error:
            failure: SfumatoError = error
        if self.epoch(epoch.schema) is None:
            failure = UnreachableError(NOT_DEPLOYED)
        raise failure

    def _open_session(self) -> Session:
        try:
            session = Session(self._conninfo)
        except UnreachableError as error:
            session, failure = None, error
        if session is None:
            raise UnreachableError(NOT_DEPLOYED) if failure.turned_away and self._role_is_missing() else failure
        if session.is_superuser:
            session.close()
            raise PolicyError("the gateway must not ask as a superuser, who sees everything; connect as its own role.")
        return session

    def _role_is_missing(self) -> bool:
        """Whether the owner sees no role of ours; a server that asks for passwords does not say."""
        role = psycopg.conninfo.conninfo_to_dict(self._conninfo).get("user")
        if self._owner is None or role is None:
            return False
        with suppress(psycopg.Error), connect(self._owner) as connection:
            return not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchall()
        return False

    def _ask_with_retries(self, query: SessionQuery, deadline: float) -> SessionAnswer:
        """A connection that had been broken before, or a plan that is outdated, is no reason to fail."""
        for _ in range(ATTEMPTS):
            outcome = self._attempt(query, deadline)
            if isinstance(outcome, SessionAnswer):
                return outcome
            if outcome is not None:
                raise outcome
        raise LimitError("the database ended the connection while it was answering; ask for less, or later.")

    def _attempt(self, query: SessionQuery, deadline: float) -> SessionAnswer | SfumatoError | None:
        """The answer, why there is none, or None where it is worth to try again."""
        try:
            with self._pool.session(deadline) as session:
                return session.ask(query, deadline)
        except DeadlineExceeded:
            return error_for_state("57014")
        except ConnectionLost:
            self._pool.drop_idle()
        except OutdatedPlan:
            pass
        return None

    def _table(self, answer: SessionAnswer, deadline: float) -> pa.Table:
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
        """Whether a type that the database defines itself is sent as a text; asked once."""
        if kind in CONVERTERS or kind < FIRST_USER_TYPE:
            return False
        if kind not in self._textual:
            query = SessionQuery(Statement(_TEXTUAL.encode(), (26,)), (str(kind).encode(),), 1000, 1)
            pieces = self._ask_with_retries(query, deadline).pieces
            self._textual[kind] = any(cell == b"\x01" for cell in _cells(pieces, 0))
        return self._textual[kind]


def _encoded(sql: str) -> bytes:
    """The statement as it is sent; half of a character, or one that ends a text for PostgreSQL, is refused."""
    encoded = sql.encode("utf-8", "ignore")
    if "\0" in sql or encoded.decode() != sql:
        raise StatementError("the question has a character that PostgreSQL does not know.")
    return encoded


def _cells(pieces: list[Any], place: int) -> list[bytes | None]:
    if len(pieces) == 1:
        return [pieces[0].get_value(row, place) for row in range(pieces[0].ntuples)]
    return list(chain.from_iterable([p.get_value(row, place) for row in range(p.ntuples)] for p in pieces))


@lru_cache(maxsize=64)
def _digest(comment: str) -> str | None:
    """The digest in a mark; read once, since it is the same with every answer."""
    ownership = OwnershipComment.read(comment)
    return None if ownership is None else ownership.digest


def _demand_epoch(answer: SessionAnswer, epoch: Epoch | None) -> None:
    if epoch is None:
        return
    if answer.schema_comment is None:
        raise UnreachableError(NOT_DEPLOYED)
    if _digest(answer.schema_comment) != epoch.digest:
        raise PolicyError("the database was deployed from another policy than this gateway has; deploy again.")
