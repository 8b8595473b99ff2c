"""Kinds of values: which of them may be combined, so that a query means the same on every engine or is refused."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.errors import StatementError

NUMBERS = frozenset({"integer", "decimal", "float", "number"})
"""Integers, decimals of a fixed scale, floating numbers, and "number" for a column with several scales."""

TIMES = frozenset({"date", "timestamp"})
_UNTYPED = frozenset({"null", "parameter", "other"})
"""Kinds that can be compared with any other; the engine decides."""


def family(kind: str) -> str | None:
    """The family of kinds that a kind can be compared with; None if only the engine can tell."""
    if kind in _UNTYPED:
        return None
    return "number" if kind in NUMBERS else "time" if kind in TIMES else kind


def demand_same_family(kinds: Sequence[str], what: str) -> None:
    """Refuse to combine texts with numbers and the like: only one of the engines converts them silently."""
    families = {family(kind) for kind in kinds} - {None}
    if len(families) > 1:
        listed = " and ".join(sorted(str(one) for one in families))
        raise StatementError(f"{what} needs values of one kind, not {listed}; CAST some of them.")


def demand_family(kinds: Sequence[str], wanted: str, what: str) -> None:
    """Refuse values of another family than an operation needs."""
    for kind in kinds:
        if family(kind) not in (None, wanted):
            raise StatementError(f"{what} needs a {wanted}; this is a {family(kind)}. CAST it first.")


def common_kind(kinds: Sequence[str], what: str) -> str:
    """The kind of a column that holds values of these kinds."""
    demand_same_family(kinds, what)
    found = [kind for kind in kinds if kind != "null"]
    if not found:
        return "null"
    if set(found) <= NUMBERS:
        return _number(found)
    if set(found) <= TIMES:
        return "timestamp" if "timestamp" in found else "date"
    return found[0] if len(set(found)) == 1 else "other"


def _number(found: Sequence[str]) -> str:
    """The common kind of numbers in one column.

    A kind does not carry its scale, so two decimals, or a decimal and an integer, become "number": the scales may
    differ, and only one engine aligns them.
    """
    if "float" in found:
        return "float"
    if set(found) == {"integer"} or len(found) == 1:
        return found[0]
    return "number"


def arithmetic_kind(kinds: Sequence[str]) -> str:
    """The kind of a sum, difference or product of numbers; both engines agree on the scale of such a result."""
    if "float" in kinds:
        return "float"
    if set(kinds) <= {"integer"}:
        return "integer"
    return "decimal" if set(kinds) <= {"integer", "decimal"} else "number"
