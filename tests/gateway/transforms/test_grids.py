from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf, nan, nextafter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import DenseGrid, FloatGrid, WholeGrid, decimal_places, exact_fraction, grid_of


def test_every_kind_of_number_has_its_grid() -> None:
    assert grid_of(ColumnType.of_duckdb("DOUBLE")) == FloatGrid()
    assert grid_of(ColumnType.of_duckdb("FLOAT")) == FloatGrid(single=True)
    assert grid_of(ColumnType.of_postgres("numeric")) == DenseGrid()
    assert grid_of(ColumnType.of_duckdb("TINYINT")) == WholeGrid(0, -128, 127, decimal=False)
    assert grid_of(ColumnType.of_duckdb("DECIMAL(4,1)")) == WholeGrid(1, -9999, 9999, decimal=True)


def test_neighbours() -> None:
    tenths = grid_of(ColumnType.of_duckdb("DECIMAL(4,1)"))
    assert (tenths.at(Fraction(40)), tenths.before(Decimal(40))) == (Decimal("40.0"), Decimal("39.9"))
    assert tenths.at(Fraction(1, 4)) == Decimal("0.3")
    whole = grid_of(ColumnType.of_duckdb("INTEGER"))
    assert (whole.at(Fraction(81, 2)), whole.before(40)) == (41, 39)
    assert FloatGrid().before(0.0) == -5e-324
    assert FloatGrid(single=True).before(1.0) == float(np.nextafter(np.float32(1), np.float32(0)))
    assert (DenseGrid().at(Fraction(1, 4)), DenseGrid().before(Decimal(40))) == (Decimal("0.25"), Decimal(40))


def test_what_is_no_number_is_on_no_grid() -> None:
    assert [FloatGrid().is_number(one) for one in (0.0, inf, -inf, nan)] == [True, False, False, False]
    assert [DenseGrid().is_number(Decimal(one)) for one in ("1e999", "Infinity", "NaN")] == [True, False, False]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_what_was_written(number: float) -> None:
    assert float(exact_fraction(number)) == number
    assert FloatGrid().at(exact_fraction(number)) == number
    assert FloatGrid().before(number) == nextafter(number, -inf)


@given(st.decimals(-(10**6), 10**6, places=4))
def test_digits_are_as_many_as_it_takes(number: Decimal) -> None:
    digits = decimal_places(Fraction(number))
    assert (Fraction(number) * Fraction(10) ** digits).denominator == 1
    if number:
        assert (Fraction(number) * Fraction(10) ** (digits - 1)).denominator > 1
