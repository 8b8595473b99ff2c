"""Measured values as plain data, so that a ledger can keep them exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sfumato.errors import StatementError

_FIRST = datetime(1970, 1, 1)
_RESTORED: dict[str, Callable[[str], Any]] = {
    "decimal": Decimal,
    "float": float.fromhex,
    "moment": datetime.fromisoformat,
    "day": date.fromisoformat,
}


def keep(value: Any) -> Any:
    """A number, day or moment as JSON has it.

    >>> keep(7), keep(Decimal("1.50")), keep(0.5), keep(date(2026, 1, 2)), keep(None)
    (7, {'decimal': '1.50'}, {'float': '0x1.0000000000000p-1'}, {'day': '2026-01-02'}, None)
    """
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, datetime):
        return {"moment": value.isoformat()}
    if isinstance(value, date):
        return {"day": value.isoformat()}
    raise StatementError("aggregates are of numbers, days and moments here.")


def restore(kept: Any) -> Any:
    """The value that was kept.

    >>> restore(keep(Decimal("1.50")))
    Decimal('1.50')
    """
    if not isinstance(kept, dict):
        return kept
    ((kind, text),) = kept.items()
    return _RESTORED[kind](text)


def as_number(kept: Any) -> Fraction | None:
    """A kept value as a number that compares like it; None for what is missing or not finite.

    >>> as_number(keep(0.5)), as_number(keep(date(1970, 1, 3)))
    (Fraction(1, 2), Fraction(2, 1))
    """
    value = restore(kept)
    if isinstance(value, datetime):
        return Fraction((value.replace(tzinfo=None) - _FIRST) // timedelta(microseconds=1), 10**6 * 86_400)
    if isinstance(value, date):
        return Fraction((value - _FIRST.date()).days)
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, Decimal) and not value.is_finite():
        return None
    return Fraction(value)
