"""Which statements of a session are prepared on the server, under which names.

A statement is prepared when it is used for the second time, so that a query that runs once costs no extra message.
`Session` asks for names and sends the messages.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from psycopg import pq

MAX_STATEMENTS = 200
"""Statements that a session remembers; the least recently used one is forgotten first."""
CAN_CLOSE = pq.version() >= 170_000
"""Older client libraries cannot close a prepared statement, so nothing is prepared with them."""


class Statement(NamedTuple):
    """What identifies a statement: its text and the types of its parameters."""

    text: bytes
    types: tuple[int, ...]


class PreparedStatements:
    """Names of statements: None on first use, on second use a name to prepare, later the prepared name.

    >>> prepared, one = PreparedStatements(), Statement(b"SELECT $1", (23,))
    >>> [prepared.name_for(one) for _ in range(3)]
    [(None, False), (b's1', True), (b's1', False)]
    """

    def __init__(self, limit: int = MAX_STATEMENTS) -> None:
        self._limit = limit if CAN_CLOSE else 0
        self._names: OrderedDict[Statement, bytes | None] = OrderedDict()
        self._prepared_count = 0
        self._unused: list[bytes] = []

    def name_for(self, statement: Statement) -> tuple[bytes | None, bool]:
        """The statement's name, if it has one, and whether it must be prepared under it first."""
        if not self._limit:
            return None, False
        if statement not in self._names:
            # Remembered without a name: only a second use shows that preparing pays off.
            self._names[statement] = None
            self._forget_oldest()
            return None, False
        self._names.move_to_end(statement)
        name = self._names[statement]
        if name is not None:
            return name, False
        self._prepared_count += 1
        self._names[statement] = name = b"s%d" % self._prepared_count
        return name, True

    def forget(self, statement: Statement) -> None:
        """Forget a statement that failed; it may not have been prepared at all."""
        name = self._names.pop(statement, None)
        if name is not None:
            self._unused.append(name)

    def take_unused(self) -> list[bytes]:
        """Names that the server can close; each is returned once."""
        names, self._unused = self._unused, []
        return names

    def _forget_oldest(self) -> None:
        while len(self._names) > self._limit:
            self.forget(next(iter(self._names)))
