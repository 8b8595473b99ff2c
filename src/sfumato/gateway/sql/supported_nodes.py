"""Refuses what is not understood: a kind of node, or something said beside it."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from sfumato.errors import StatementError


def not_understood(node: exp.Expr) -> StatementError:
    """The refusal of a node, by the name of what it is and never by what it says."""
    name = node.name.upper() if isinstance(node, exp.Anonymous) else type(node).__name__
    return StatementError(f"the gateway does not understand {name[:60]} here; see the list of what it does.")


def demand_only(node: exp.Expr, allowed: Iterable[str]) -> None:
    """Refuse a node that says more than what is read of it."""
    known = set(allowed)
    for name, given in node.args.items():
        if name not in known and given not in (None, False, [], ()):
            what = name.upper().replace("_", " ").strip()
            raise StatementError(f"the gateway does not understand {what} of {type(node).__name__} here.")


def no_weaker(what: str) -> StatementError:
    """The refusal of something that weaker values have no part in."""
    return StatementError(
        f"{what} is not offered on values that may be hidden or shown in a weaker form for this purpose; "
        "exact(column) are those that are known, lo(column) and hi(column) the bounds of the others."
    )
