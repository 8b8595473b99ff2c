"""Parameter values of a query: checks their types and determines their kinds."""

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
"""The kind of a value by its Python type."""

_BIGINT_LIMIT = 2**63
"""The first integer beyond a BIGINT."""


def supported_parameters(values: Sequence[Any]) -> tuple[Any, ...]:
    """The values as both engines accept them; numpy scalars become Python values, other types are refused.

    >>> supported_parameters([7, "Rome", None])
    (7, 'Rome', None)
    """
    found = tuple(
        value if type(value) in _KINDS else _python_value(value, place) for place, value in enumerate(values, 1)
    )
    for place, value in enumerate(found, 1):
        if type(value) is str:
            demand_characters(value, f"parameter {place}")
    return found


def kinds_of(values: Sequence[Any]) -> tuple[str, ...]:
    """The kind of every value, with which a query is compiled; an integer beyond 64 bits is a decimal.

    >>> kinds_of([7, "Rome", None, 10**20])
    ('integer', 'text', 'null', 'decimal')
    """
    return tuple(
        "decimal" if type(value) is int and not -_BIGINT_LIMIT <= value < _BIGINT_LIMIT else _KINDS[type(value)]
        for value in values
    )


def _python_value(value: Any, place: int) -> Any:
    """A numpy scalar as a Python value."""
    item = getattr(value, "item", None)
    found = item() if callable(item) and getattr(value, "ndim", None) == 0 else None
    if found is None or type(found) not in _KINDS:
        raise StatementError(
            f"parameter {place} is of a type that cannot be sent; allowed: numbers, texts, booleans, dates, timestamps."
        )
    return found
