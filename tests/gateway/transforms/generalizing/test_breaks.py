from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.generalizing.breaks import Breaks

TINY, MONEY, DOUBLE = (ColumnType.of_duckdb(name) for name in ("TINYINT", "DECIMAL(5,2)", "DOUBLE"))
NUMERIC = ColumnType.of_postgres("numeric")


def test_intervals_that_no_value_lies_in_are_left_out() -> None:
    made = Breaks(breaks=(-1000, -200, 0.25, 0.75, 100, 5000))
    assert [made.weaker(value, TINY) for value in (-128, 0, 1, 100, 127)] == [
        *((-128, 0), (-128, 0), (1, 99), (100, 127), (100, 127)),
    ]


def test_a_break_belongs_to_what_begins_there() -> None:
    made = Breaks(breaks=(0, 0.3, 1))
    assert made.weaker(Decimal("0.3"), NUMERIC) == (Decimal("0.3"), 1)
    assert made.weaker(Decimal("0.30"), MONEY) == (Decimal("0.30"), Decimal("1.00"))
    assert made.weaker(0.3, DOUBLE) == (0.3, 1.0)
    assert made.weaker(0.1 * 3, DOUBLE) == (0.3, 1.0)
    assert made.weaker(Decimal("NaN"), NUMERIC) is None
    assert made.weaker(None, NUMERIC) is None
    assert made.shown(Decimal("0.3"), NUMERIC) == "[0.3, 1]"
    assert made.shown(Decimal("0.4"), NUMERIC) is None


@given(st.lists(st.integers(-150, 150), min_size=2, max_size=8, unique=True), st.integers(-128, 127), st.integers(1, 3))
def test_against_looking_at_every_byte(breaks: list[int], value: int, level: int) -> None:
    stops = sorted(breaks)
    pieces = [stops[place : place + 2 ** (level - 1) + 1] for place in range(0, len(stops) - 1, 2 ** (level - 1))]
    inside = [piece for piece in pieces if piece[0] <= value < piece[-1] or value == piece[-1] == stops[-1]]
    found = Breaks(breaks=tuple(stops), level=level).weaker(value, TINY)
    if not inside:
        assert found is None
        return
    first, last = inside[0][0], inside[0][-1] - (inside[0][-1] != stops[-1])
    assert found == (max(first, -128), min(last, 127))
