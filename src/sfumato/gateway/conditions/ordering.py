"""How two values compare, whatever they are: smaller, equal, greater, or not at all."""

from __future__ import annotations

import math
from datetime import date, datetime, time
from decimal import Decimal


def compared(left: object, right: object) -> int | None:
    """Below 0, 0 or above 0 for a smaller, equal or greater left side; None for what has no order.

    Numbers are compared with numbers (with a float as floats, as databases do), texts by their code points, days with
    moments as their midnight. A truth value is no number, and neither is what is not finite.

    >>> compared(12, 10), compared("a", "b"), compared(True, 1), compared(3, None)
    (1, -1, None, None)
    """
    pair = _alike(left, right)
    return None if pair is None else (pair[0] > pair[1]) - (pair[0] < pair[1])  # type: ignore[operator]


def _alike(left: object, right: object) -> tuple[object, object] | None:
    if isinstance(left, bool) or isinstance(right, bool):
        return (left, right) if isinstance(left, bool) and isinstance(right, bool) else None
    if isinstance(left, str) and isinstance(right, str):
        return left, right
    if isinstance(left, date) and isinstance(right, date):
        return _days(left, right)
    if isinstance(left, int | float | Decimal) and isinstance(right, int | float | Decimal):
        return _numbers(left, right)
    return None


def _days(left: date, right: date) -> tuple[date, date] | None:
    """A clock with a time zone and one without cannot be compared."""
    if not isinstance(left, datetime) and not isinstance(right, datetime):
        return left, right
    first, second = _moment(left), _moment(right)
    return (first, second) if (first.utcoffset() is None) == (second.utcoffset() is None) else None


def _moment(day: date) -> datetime:
    return day if isinstance(day, datetime) else datetime.combine(day, time.min)


def _numbers(left: float | Decimal, right: float | Decimal) -> tuple[object, object] | None:
    floats = isinstance(left, float) or isinstance(right, float)
    try:
        pair = (float(left), float(right)) if floats else (left, right)
    except (OverflowError, ValueError):  # an integer beyond all floats; a signalling not-a-number
        return None
    return pair if all(map(_finite, pair)) else None


def _finite(number: float | Decimal) -> bool:
    return number.is_finite() if isinstance(number, Decimal) else isinstance(number, int) or math.isfinite(number)
