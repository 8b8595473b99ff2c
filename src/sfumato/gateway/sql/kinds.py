"""Kinds of values: which of them may meet, so that a question means the same on every engine or is refused."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.errors import StatementError

NUMBERS = frozenset({"integer", "decimal", "float", "number"})
"""Whole numbers, those with a fixed number of digits after the point, floating ones, and mixtures of the first two."""

TIMES = frozenset({"date", "timestamp"})
_OPEN = frozenset({"null", "parameter", "other", "uncertain"})


def family(kind: str) -> str | None:
    """What a kind can be compared with; None where the engine alone knows."""
    if kind in _OPEN:
        return None
    return "number" if kind in NUMBERS else "time" if kind in TIMES else kind


def demand_alike(kinds: Sequence[str], what: str) -> None:
    """Refuse texts beside numbers and the like: one engine converts them silently, the other does not."""
    families = {family(kind) for kind in kinds} - {None}
    if len(families) > 1:
        listed = " and ".join(sorted(str(one) for one in families))
        raise StatementError(f"{what} needs values of one kind, not {listed}; CAST some of them.")


def demand_family(kinds: Sequence[str], wanted: str, what: str) -> None:
    """Refuse values of another kind than what is done to them needs."""
    for kind in kinds:
        if family(kind) not in (None, wanted):
            raise StatementError(f"{what} needs a {wanted}; this is a {family(kind)}. CAST it first.")


def together(kinds: Sequence[str], what: str) -> str:
    """The kind of a column in which values of these kinds stand."""
    demand_alike(kinds, what)
    found = [kind for kind in kinds if kind != "null"]
    if not found:
        return "null"
    if "uncertain" in found:
        return "uncertain"
    if set(found) <= NUMBERS:
        return _number(found)
    if set(found) <= TIMES:
        return "timestamp" if "timestamp" in found else "date"
    return found[0] if len(set(found)) == 1 else "other"


def _number(found: Sequence[str]) -> str:
    """Decimals that meet keep their digits on one engine, and take those of the others on another."""
    if "float" in found:
        return "float"
    if set(found) == {"integer"} or len(found) == 1:
        return found[0]
    return "number"


def computed(kinds: Sequence[str]) -> str:
    """The kind of a sum, a difference or a product of numbers."""
    if "float" in kinds:
        return "float"
    if set(kinds) <= {"integer"}:
        return "integer"
    return "decimal" if set(kinds) <= {"integer", "decimal"} else "number"
