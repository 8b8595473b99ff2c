"""How large what a question becomes may get: a short question can stand for very many words."""

from __future__ import annotations

from sqlglot import exp

from sfumato.errors import StatementError

_MOST = 4_000


def demand_small(*parts: exp.Expr | None) -> None:
    """Refuse expressions that have grown too large, before they are written again and again.

    >>> demand_small(exp.column("a"), None)
    """
    waiting, count = [part for part in parts if part is not None], 0
    while waiting:
        count += 1
        if count > _MOST:
            raise StatementError("conditions and cases lie so deep in one another that they mean too much; write less.")
        waiting.extend(waiting.pop().iter_expressions())
