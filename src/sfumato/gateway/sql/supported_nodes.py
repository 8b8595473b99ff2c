"""Refusals of what the compiler does not support: a node, an argument of a node, or an operation on masked values."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from sfumato.errors import StatementError

COMPUTED = "comparing what aggregates, windows and functions such as COALESCE compute"
"""The operation on values whose presence is in doubt: they take hidden values and missing rows for absent."""


def unsupported_node(node: exp.Expr) -> StatementError:
    """The refusal of a node, by its type and never by its content."""
    name = node.name.upper() if isinstance(node, exp.Anonymous) else type(node).__name__
    return StatementError(f"the gateway does not understand {name[:60]} here; see the list of supported SQL.")


def demand_only(node: exp.Expr, allowed: Iterable[str]) -> None:
    """Refuse a node with an argument that the caller does not compile: it would be dropped silently."""
    allowed_names = set(allowed)
    for name, given in node.args.items():
        if name not in allowed_names and given not in (None, False, [], ()):
            what = name.upper().replace("_", " ").strip()
            raise StatementError(f"the gateway does not understand {what} of {type(node).__name__} here.")


def unsupported_on_masked(what: str) -> StatementError:
    """The refusal of an operation that is undefined on hidden or weaker values, or would reveal them."""
    return StatementError(
        f"{what} is not offered on values that may be hidden or shown in a weaker form for this purpose; "
        "exact(column) gives the exact values, lo(column) and hi(column) the bounds of the others."
    )
