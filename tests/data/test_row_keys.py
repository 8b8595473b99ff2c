from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato.data.row_keys import Packing

Columns = list[NDArray[np.int32]]


@st.composite
def coded(draw: st.DrawFn) -> tuple[Columns, list[int]]:
    """Columns of codes; some with so many values that a few of them outgrow 62 bits."""
    rows = draw(st.integers(1, 20))
    radices = draw(st.lists(st.sampled_from([1, 2, 3, 7, 1000, 2**20, 2**31 - 1]), min_size=1, max_size=8))
    few = [draw(st.lists(st.integers(0, radix - 1), min_size=1, max_size=3)) for radix in radices]
    columns = [draw(st.lists(st.sampled_from(some), min_size=rows, max_size=rows)) for some in few]
    return [np.array(column, dtype=np.int32) for column in columns], radices


def ranks(columns: Columns) -> dict[tuple[int, ...], int]:
    """Every combination with its place among the sorted ones."""
    rows = sorted(set(zip(*(column.tolist() for column in columns), strict=True)))
    return {row: place for place, row in enumerate(rows)}


@given(coded())
def test_numbers_are_the_places_of_sorted_combinations(given_columns: tuple[Columns, list[int]]) -> None:
    columns, radices = given_columns
    packing, number = Packing.of(columns, radices)
    known = ranks(columns)
    assert len(packing) == len(known)
    assert number.dtype == np.int32
    assert number.tolist() == [known[row] for row in zip(*(column.tolist() for column in columns), strict=True)]


@given(coded(), st.data())
@settings(deadline=None)
def test_combinations_that_never_occurred_have_no_number(
    given_columns: tuple[Columns, list[int]], data: st.DataObject
) -> None:
    columns, radices = given_columns
    packing, _ = Packing.of(columns, radices)
    others = [
        np.array(
            data.draw(st.lists(st.sampled_from([*column.tolist(), 0, radix - 1]), min_size=9, max_size=9)), np.int32
        )
        for column, radix in zip(columns, radices, strict=True)
    ]
    known = ranks(columns)
    expected = [known.get(row, -1) for row in zip(*(column.tolist() for column in others), strict=True)]
    assert packing.numbers(others).tolist() == expected


def test_more_than_62_bits() -> None:
    top = 2**31 - 1
    rows = [(0, 0, 0, 0), (top - 1, top - 1, top - 1, top - 1), (top - 1, 0, top - 1, 0), (0, 0, 0, 1)]
    columns = [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    packing, number = Packing.of(columns, [top] * 4)
    assert len(packing.stages) > 1
    assert number.tolist() == [0, 3, 2, 1]
    assert packing.numbers(columns).tolist() == [0, 3, 2, 1]
    strange = [np.array([0, top - 1, 5], dtype=np.int32)] * 4
    assert packing.numbers(strange).tolist() == [0, 3, -1]


def test_no_rows_to_look_up() -> None:
    packing, _ = Packing.of([np.array([1, 0], dtype=np.int32)], [2])
    assert packing.numbers([np.zeros(0, dtype=np.int32)]).tolist() == []
