"""Limits how large a compiled expression may grow: a short query can expand to a very large one."""

from __future__ import annotations

from sqlglot import exp

from sfumato.errors import StatementError

_MAX_NODES = 4_000
"""The largest number of nodes in one expression."""


def demand_small(*parts: exp.Expr | None) -> None:
    """Refuse expressions with too many nodes, before they are copied into larger ones.

    >>> demand_small(exp.column("a"), None)
    """
    # An explicit stack, because a deep expression would exceed Python's recursion limit.
    pending, count = [part for part in parts if part is not None], 0
    while pending:
        count += 1
        if count > _MAX_NODES:
            raise StatementError(
                "conditions and cases are nested so deeply that the query becomes too large; nest fewer of them."
            )
        pending.extend(pending.pop().iter_expressions())
