"""Formats numbers for reports and the command line: short, and without powers of ten."""

from __future__ import annotations

from math import isfinite, isnan


def figure(number: float) -> str:
    """A number with four significant digits; from 1000 on, all digits of its whole part.

    >>> figure(0.137245), figure(3.0), figure(12345678.0)
    ('0.1372', '3', '12,345,678')
    """
    if not isfinite(number):
        return "unknown" if isnan(number) else "without limit"
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def percent(share: float) -> str:
    """A share in percent, with enough digits that a small share is not written as 0.

    >>> percent(0.5), percent(0.0042), percent(0.00001), percent(1.0)
    ('50%', '0.42%', 'less than 0.01%', '100%')
    """
    if 0 < share < 0.0001:
        return "less than 0.01%"
    digits = 1 if share >= 0.01 else 2
    number = f"{100 * share:.{digits}f}"
    return number.rstrip("0").rstrip(".") + "%"


def counted(count: int, plural: str) -> str:
    """A number of things, whose plural ends in an s.

    >>> counted(1, "groups"), counted(1200, "groups")
    ('1 group', '1,200 groups')
    """
    return f"{count:,} {plural.removesuffix('s') if count == 1 else plural}"
