"""Counts of itemsets: each is compared with going over all rows, whether cubes are cut or not."""

from __future__ import annotations

from itertools import combinations, product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.knowledge.axis import ItemAxis
from sfumato.knowledge.counting import Counting
from tests.strategies import small_tables


def plain(table: Table, axes: dict[str, ItemAxis], columns: tuple[str, ...], wanted: list[int]) -> dict:
    """Support and counts of every itemset over some columns, row by row."""
    found = {}
    for places in product(*(range(len(axes[name])) for name in columns)):
        degree = table.counts.astype(float)
        for name, place in zip(columns, places, strict=True):
            axis, whole = axes[name], np.zeros(len(table.domain(name)))
            lo, hi = int(axis.first[place]), int(axis.last[place])
            whole[lo : hi + 1] = 1 if axis.grades is None else axis.grades[place]
            degree = degree * whole[table.codes[name]]
        by_value = np.bincount(table.codes["s0"], degree, len(table.domain("s0")))
        found[places] = [by_value.sum(), *by_value[wanted]]
    return found


@settings(deadline=None)
@given(
    small_tables(max_sensitive=1, max_repeats=3),
    st.sampled_from([0.0, 0.0, 0.4]),
    st.sampled_from([1.0, 2.0, 3.0]),
    st.sampled_from([2**22, 1, 30]),
    st.data(),
)
def test_as_row_by_row(table: Table, fuzziness: float, floor: float, room: int, data: st.DataObject) -> None:
    axes = {name: ItemAxis.of(table, name, fuzziness=fuzziness) for name in table.schema.quasi}
    codes = range(len(table.domain("s0")))
    wanted = sorted(data.draw(st.sets(st.sampled_from(codes))))
    counting = Counting.of(table, "s0", np.array(wanted, dtype=np.int64), axes, floor)
    for size in range(1, len(axes) + 1):
        for columns in combinations(axes, size):
            with patch("sfumato.knowledge.counting.MAX_CELLS", room):
                parts = list(counting.itemsets(columns))
            found = {
                tuple(place): [support, *counts]
                for part in parts
                for place, support, counts in zip(part.places.tolist(), part.supports, part.counts, strict=True)
            }
            every = plain(table, axes, columns, wanted)
            expected = {places: told for places, told in every.items() if told[0] >= floor - 1e-9}
            assert found.keys() == expected.keys()
            for places, told in expected.items():
                assert found[places] == pytest.approx(told, abs=1e-9)


def test_whole_numbers_stay_whole() -> None:
    table = hospital()
    axes = {name: ItemAxis.of(table, name) for name in ("Job", "Sex")}
    (part,) = Counting.of(table, "Disease", np.arange(3), axes, 2).itemsets(["Job", "Sex"])
    told = {
        (axes["Job"].items[job].text, axes["Sex"].items[sex].text): counts.tolist()
        for (job, sex), counts in zip(part.places.tolist(), part.counts, strict=True)
    }
    assert table.domain("Disease").texts == ("Flu", "HIV", "Hepatitis")
    assert told == {
        ("Professional", "Male"): [0, 1, 2],
        ("Engineer", "Male"): [0, 0, 2],
        ("Artist", "Female"): [1, 3, 0],
        ("Dancer", "Female"): [0, 2, 0],
        ("Writer", "Female"): [1, 1, 0],
    }
