"""What stands for ? in a question: values of a few types, each with its kind."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sfumato.errors import StatementError
from sfumato.gateway.policy.characters import demand_characters

_KINDS: dict[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "float",
    Decimal: "decimal",
    str: "text",
    date: "date",
    datetime: "timestamp",
    type(None): "null",
}

_MOST = 2**63


def demand_known(values: Sequence[Any]) -> tuple[Any, ...]:
    """The values as both engines take them; numbers of numpy become Python's, other types are refused.

    >>> demand_known([7, "Rome", None])
    (7, 'Rome', None)
    """
    found = tuple(value if type(value) in _KINDS else _plain(value, place) for place, value in enumerate(values, 1))
    for place, value in enumerate(found, 1):
        if type(value) is str:
            demand_characters(value, f"parameter {place}")
    return found


def kinds_of(values: Sequence[Any]) -> tuple[str, ...]:
    """The kind of every value, as questions are compiled with it; a whole number beyond 64 bits is a decimal.

    >>> kinds_of([7, "Rome", None, 10**20])
    ('integer', 'text', 'null', 'decimal')
    """
    return tuple(
        "decimal" if type(value) is int and not -_MOST <= value < _MOST else _KINDS[type(value)] for value in values
    )


def _plain(value: Any, place: int) -> Any:
    item = getattr(value, "item", None)
    found = item() if callable(item) and getattr(value, "ndim", None) == 0 else None
    if found is None or type(found) not in _KINDS:
        raise StatementError(
            f"parameter {place} is of a type that cannot be sent; allowed: numbers, texts, booleans, dates, timestamps."
        )
    return found
