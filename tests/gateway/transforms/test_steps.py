from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.steps import Steps, decimal_text, join_bounds

TYPES = {
    name: ColumnType.of_duckdb(name) for name in ("TINYINT", "UTINYINT", "BIGINT", "DECIMAL(9,2)", "FLOAT", "DOUBLE")
} | {"numeric": ColumnType.of_postgres("numeric")}


def steps(name: str, width: object, start: object = 0) -> Steps:
    return Steps.of(TYPES[name], Fraction(str(width)), Fraction(str(start)))


def test_steps_of_whole_numbers_end_with_the_column() -> None:
    assert [steps("TINYINT", 100).range_of(value) for value in (-128, -100, -1, 0, 100, 127)] == [
        *((-128, -101), (-100, -1), (-100, -1), (0, 99), (100, 127), (100, 127)),
    ]
    assert steps("UTINYINT", 100, 30).range_of(29) == (0, 29)


def test_limits_belong_to_what_begins_there() -> None:
    assert steps("DECIMAL(9,2)", 10).range_of(Decimal("20.00")) == (Decimal("20.00"), Decimal("29.99"))
    assert steps("numeric", 10).range_of(Decimal(20)) == (20, 30)
    assert steps("DOUBLE", "0.1").range_of(0.3)[0] == 0.3


@pytest.mark.parametrize(("name", "width"), [("BIGINT", "0.5"), ("DECIMAL(9,2)", "0.001"), ("DOUBLE", "1e-13")])
def test_limits_that_the_column_cannot_have_are_refused(name: str, width: str) -> None:
    assert steps(name, width).objection() is not None
    assert steps(name, 5).objection() is None


def test_limits_with_too_many_digits_are_refused() -> None:
    assert "nine digits" in steps("DOUBLE", "12345678901").objection()
    assert steps("DOUBLE", "1e12").objection() is None
    assert "tiny" in steps("numeric", "1e-30").objection()


@given(st.integers(-128, 127), st.integers(1, 400), st.integers(-500, 500))
def test_bytes_against_walking_from_limit_to_limit(value: int, width: int, start: int) -> None:
    low = next(limit for limit in range(value, value - width, -1) if (limit - start) % width == 0)
    inside = [one for one in range(low, low + width) if -128 <= one <= 127]
    assert steps("TINYINT", width, start).range_of(value) == (inside[0], inside[-1])


@given(
    st.sampled_from([name for name in TYPES if name not in ("TINYINT", "UTINYINT")]),
    st.data(),
    st.sampled_from(["1", "7", "20000", "0.25", "0.1"]),
    st.sampled_from(["0", "3", "-1.5"]),
)
def test_the_value_lies_inside_and_neighbours_do_not_overlap(
    name: str, data: st.DataObject, width: str, start: str
) -> None:
    made = steps(name, width, start)
    if made.objection() is not None:
        return
    value = data.draw(VALUES[name])
    found = made.range_of(value)
    if found is None:
        assert abs(value) > 10**6 * float(width)
        return
    low, high = found
    assert low <= value <= high
    assert made.range_of(low) == found
    if name != "numeric":
        assert made.range_of(high) == found


VALUES = {
    "BIGINT": st.integers(-(2**63), 2**63 - 1),
    "DECIMAL(9,2)": st.decimals("-9999999.99", "9999999.99", places=2),
    "FLOAT": st.floats(width=32, allow_nan=False, allow_infinity=False),
    "DOUBLE": st.floats(allow_nan=False, allow_infinity=False),
    "numeric": st.decimals(allow_nan=False, allow_infinity=False, min_value="-1e20", max_value="1e20"),
}


def test_words() -> None:
    assert steps("BIGINT", 10).label(-20, (Fraction(0), Fraction(10))) == "-20 to -10"
    assert steps("BIGINT", 10).label(20, (Fraction(0), Fraction(10))) == "20-30"
    assert steps("DOUBLE", "0.5").label(1.5, (Fraction(0), Fraction(1, 2))) == "1.5-2.0"
    assert (decimal_text(Fraction(-1, 4), 3), join_bounds(["a"], True)) == ("-0.250", "a")
