from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from sfumato.gateway.conditions.ordering import compare

SEVEN = datetime(2026, 1, 5, 7)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (1, 2, -1),
        (2, Decimal("1.5"), 1),
        (0.1, Decimal("0.1"), 0),  # as floats, which is how databases compare a float with a decimal
        (Decimal("0.1"), Decimal("0.10"), 0),
        ("a", "B", 1),
        ("z", "é", -1),
        (False, True, -1),
        (date(2026, 1, 5), date(2026, 1, 6), -1),
        (date(2026, 1, 5), SEVEN, -1),
        (datetime(2026, 1, 5), date(2026, 1, 5), 0),
        (SEVEN.replace(tzinfo=UTC), SEVEN.replace(tzinfo=UTC), 0),
    ],
)
def test_values_that_have_an_order(left: object, right: object, expected: int) -> None:
    assert compare(left, right) == expected
    assert compare(right, left) == -expected


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (None, None),
        (None, 1),
        (True, 1),
        ("1", 1),
        ("2026-01-05", date(2026, 1, 5)),
        (date(2026, 1, 5), 20260105),
        (SEVEN, SEVEN.replace(tzinfo=UTC)),
        (date(2026, 1, 5), SEVEN.replace(tzinfo=UTC)),
        (float("nan"), 1),
        (float("inf"), 1),
        (Decimal("nan"), 1),
        (Decimal("snan"), 1.5),
        (Decimal("infinity"), 1),
        (10**400, 1.5),
        ([1], [1]),
        (b"a", b"a"),
        (1j, 1),
    ],
)
def test_values_that_have_none(left: object, right: object) -> None:
    assert compare(left, right) is None
    assert compare(right, left) is None


def test_integers_of_any_size_are_compared_exactly() -> None:
    assert compare(10**400, 10**400 + 1) == -1
    assert compare(2**53 + 1, Decimal(2**53)) == 1
