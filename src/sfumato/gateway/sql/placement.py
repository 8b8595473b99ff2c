"""Where aggregates and windows may occur in a query: the gateway refuses misplaced ones before an engine does."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sfumato.errors import StatementError


def demand_row_level(part: exp.Expr, where: str) -> None:
    """Refuse aggregates and windows in clauses on single rows: WHERE, ON, GROUP BY."""
    for node in _without_subqueries(part):
        if isinstance(node, exp.AggFunc | exp.Window):
            raise StatementError(
                f"{where} is about single rows, without aggregates and windows; compute them in a query inside FROM."
            )


def demand_no_windows(part: exp.Expr, where: str) -> None:
    """Refuse windows in clauses on groups, such as HAVING."""
    if any(isinstance(node, exp.Window) for node in _without_subqueries(part)):
        raise StatementError(f"{where} has no windows in it; compute them in a query inside FROM.")


def _without_subqueries(part: exp.Expr) -> Iterator[exp.Expr]:
    """The nodes of an expression, without the queries nested in it."""
    return part.walk(prune=lambda node: isinstance(node, exp.Query))
