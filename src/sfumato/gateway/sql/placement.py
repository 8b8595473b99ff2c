"""Where aggregates and windows may stand in a question, so that it is refused here and not by an engine."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sfumato.errors import StatementError


def demand_of_rows(part: exp.Expr, where: str) -> None:
    """Refuse aggregates and windows in what is of single rows: conditions, join conditions, what is grouped by."""
    for node in _own(part):
        if isinstance(node, exp.AggFunc | exp.Window):
            raise StatementError(
                f"{where} is about single rows, without aggregates and windows; compute them in a question inside FROM."
            )


def demand_no_windows(part: exp.Expr, where: str) -> None:
    """Refuse windows in what may be of groups."""
    if any(isinstance(node, exp.Window) for node in _own(part)):
        raise StatementError(f"{where} has no windows in it; compute them in a question inside FROM.")


def _own(part: exp.Expr) -> Iterator[exp.Expr]:
    """The expression and all in it, without the questions inside it."""
    return part.walk(prune=lambda node: isinstance(node, exp.Query))
