"""The order of two values of any types: smaller, equal, greater, or not comparable.

Comparisons of conditions use it when they are checked in Python.
"""

from __future__ import annotations

import math
from datetime import date, datetime, time
from decimal import Decimal


def compare(left: object, right: object) -> int | None:
    """A negative number, 0 or a positive number if left is smaller, equal or greater; None if there is no order.

    Numbers are compared with numbers (as floats if one is a float, as databases do), texts by code point, and a date
    with a timestamp as the midnight at which the date begins. Booleans are not numbers, and infinite numbers and NaN
    have no order.

    >>> compare(12, 10), compare("a", "b"), compare(True, 1), compare(3, None)
    (1, -1, None, None)
    """
    pair = _comparable_pair(left, right)
    return None if pair is None else (pair[0] > pair[1]) - (pair[0] < pair[1])  # type: ignore[operator]


def _comparable_pair(left: object, right: object) -> tuple[object, object] | None:
    if isinstance(left, bool) or isinstance(right, bool):
        return (left, right) if isinstance(left, bool) and isinstance(right, bool) else None
    if isinstance(left, str) and isinstance(right, str):
        return left, right
    if isinstance(left, date) and isinstance(right, date):
        return _comparable_dates(left, right)
    if isinstance(left, int | float | Decimal) and isinstance(right, int | float | Decimal):
        return _comparable_numbers(left, right)
    return None


def _comparable_dates(left: date, right: date) -> tuple[date, date] | None:
    """The two as dates or as timestamps; None if only one of them has a time zone."""
    if not isinstance(left, datetime) and not isinstance(right, datetime):
        return left, right
    first, second = _as_datetime(left), _as_datetime(right)
    return (first, second) if (first.utcoffset() is None) == (second.utcoffset() is None) else None


def _as_datetime(day: date) -> datetime:
    return day if isinstance(day, datetime) else datetime.combine(day, time.min)


def _comparable_numbers(left: float | Decimal, right: float | Decimal) -> tuple[object, object] | None:
    floats = isinstance(left, float) or isinstance(right, float)
    try:
        pair = (float(left), float(right)) if floats else (left, right)
    except (OverflowError, ValueError):  # an integer too large for a float; a signalling NaN
        return None
    return pair if all(map(_is_finite, pair)) else None


def _is_finite(number: float | Decimal) -> bool:
    return number.is_finite() if isinstance(number, Decimal) else isinstance(number, int) or math.isfinite(number)
