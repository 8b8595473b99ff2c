"""Prepared statements of one session: what is asked a second time is planned no more than needed."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from psycopg import pq

MAX_STATEMENTS = 200
CAN_CLOSE = pq.version() >= 170_000
"""Older client libraries cannot give a statement back, so that none is prepared with them."""


class Statement(NamedTuple):
    """What makes a statement another one: its text, and the types of its parameters."""

    text: bytes
    types: tuple[int, ...]


class PreparedStatements:
    """Names of statements: none when asked first, then one that has to be prepared, then one that is.

    >>> prepared, one = PreparedStatements(), Statement(b"SELECT $1", (23,))
    >>> [prepared.name_for(one) for _ in range(3)]
    [(None, False), (b's1', True), (b's1', False)]
    """

    def __init__(self, limit: int = MAX_STATEMENTS) -> None:
        self._limit = limit if CAN_CLOSE else 0
        self._names: OrderedDict[Statement, bytes | None] = OrderedDict()
        self._made = 0
        self._unused: list[bytes] = []

    def name_for(self, statement: Statement) -> tuple[bytes | None, bool]:
        """The statement's name, if it should have one, and whether it has to be prepared under it first."""
        if not self._limit:
            return None, False
        if statement not in self._names:
            self._names[statement] = None
            self._forget_oldest()
            return None, False
        self._names.move_to_end(statement)
        name = self._names[statement]
        if name is not None:
            return name, False
        self._made += 1
        self._names[statement] = name = b"s%d" % self._made
        return name, True

    def forget(self, statement: Statement) -> None:
        """For a statement that failed, and may not be prepared at all."""
        name = self._names.pop(statement, None)
        if name is not None:
            self._unused.append(name)

    def take_unused(self) -> list[bytes]:
        """Names to give back to the server; each is told once."""
        names, self._unused = self._unused, []
        return names

    def _forget_oldest(self) -> None:
        while len(self._names) > self._limit:
            self.forget(next(iter(self._names)))
