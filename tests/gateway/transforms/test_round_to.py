from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.transforms import ColumnType, RoundTo

INTEGER, MONEY, DOUBLE = (ColumnType.of_duckdb(name) for name in ("INTEGER", "DECIMAL(12,2)", "DOUBLE"))
NUMERIC = ColumnType.of_postgres("numeric")


def test_halves_go_up() -> None:
    assert [
        RoundTo(step=10).shown(RoundTo(step=10).weaker(one, INTEGER)[0], INTEGER) for one in (14, 15, -15, -16)
    ] == [
        *("10", "20", "-10", "-20"),
    ]
    assert RoundTo(step=0.1).shown(RoundTo(step=0.1).weaker(0.25, DOUBLE)[0], DOUBLE) == "0.30"
    assert RoundTo(step=1).weaker(7, INTEGER) == (7, 7)
    assert RoundTo(step=1).weaker(Decimal("7.5"), NUMERIC) == (Decimal("7.5"), Decimal("8.5"))
    assert RoundTo(step=5).weaker(None, INTEGER) is None


@given(st.integers(0, 10**9), st.integers(1, 10**6))
def test_against_rounding_by_the_library(value: int, step: int) -> None:
    nearest = int((Decimal(value) / step).to_integral_value(ROUND_HALF_UP)) * step
    rounded = RoundTo(step=step)
    low, high = rounded.weaker(value, INTEGER)
    assert low <= value <= high
    assert low < nearest <= high or low == high == nearest or step == 2
    assert rounded.shown(low, INTEGER) == str(nearest)


@given(st.decimals("-99999", "99999", places=2), st.sampled_from([0.01, 0.05, 0.25, 0.5, 1, 7, 100]))
def test_money_is_rounded_to_the_nearest_multiple(value: Decimal, step: float) -> None:
    rounded = RoundTo(step=step)
    low, high = rounded.weaker(value, MONEY)
    multiple = Decimal(rounded.shown(low, MONEY))
    assert low <= value <= high
    assert multiple % Decimal(str(step)) == 0
    assert abs(value - multiple) <= Decimal(str(step)) / 2
