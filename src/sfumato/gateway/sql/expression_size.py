"""Limits how much is built while a query is compiled: a short query can expand to a very large one.

Whatever is built becomes part of a value, a condition, an output column, a sort key or a query. These count themselves
when they are made, and values whenever their expressions are copied. So no step of the compiler has to think of the
limit, and a step that repeats something is stopped on its way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sqlglot import exp

from sfumato.errors import StatementError

MAX_NODES = 100_000
"""The largest number of nodes that are built for one query; half a second is needed for so many."""

_remaining: ContextVar[int | None] = ContextVar("remaining", default=None)
"""How many nodes may still be built for the query that is compiled now; None if there is none."""


@contextmanager
def limited_size() -> Iterator[None]:
    """Refuse a query for which too much is built within."""
    before = _remaining.set(MAX_NODES)
    try:
        yield
    finally:
        _remaining.reset(before)


def count_built(*parts: exp.Expr) -> None:
    """Count the nodes of expressions that were built for the query that is compiled now.

    >>> with limited_size():
    ...     count_built(exp.column("a"))
    """
    remaining = _remaining.get()
    if remaining is None:
        return
    # An explicit stack, because a deep expression would exceed Python's recursion limit.
    pending = list(parts)
    while pending:
        remaining -= 1
        if remaining < 0:
            raise StatementError(
                "the query becomes too large when it is compiled: lists, cases and nested queries multiply; use fewer."
            )
        pending.extend(pending.pop().iter_expressions())
    _remaining.set(remaining)
