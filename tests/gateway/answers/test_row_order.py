from __future__ import annotations

import math
import random
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.answers.row_order import sorted_by_values


def shown(table: pa.Table) -> list[str]:
    return [repr(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]


COLUMNS = {
    "whole": pa.array([3, 1, None, 2, 1], pa.int32()),
    "large": pa.array([3, 2**63, None, 2, 1], pa.uint64()),
    "floating": pa.array([0.0, -0.0, None, math.nan, -math.inf]),
    "single": pa.array([0.0, -0.0, None, math.nan, -1.5], pa.float32()),
    "decimal": pa.array([Decimal("1.50"), Decimal("-2"), None, Decimal("0.1"), Decimal("0.1")]),
    "wide": pa.array([Decimal("9" * 50), Decimal(1), None, Decimal(0), Decimal(-1)], pa.decimal256(60)),
    "text": pa.array(["z", "é", None, "Z", "\U0001f600"]),
    "bytes": pa.array([b"\xff", b"", None, b"a", b"b"]),
    "truth": pa.array([True, False, None, True, False]),
    "day": pa.array([date(2026, 1, 2), date(1, 1, 1), None, date(9999, 1, 1), date(2026, 1, 1)]),
    "moment": pa.array([datetime(2026, 1, 2, tzinfo=UTC), None, None, datetime(1999, 1, 1, tzinfo=UTC), None]),
    "hour": pa.array([time(8), time(7), None, time(23), time(7, 1)]),
    "enum": pa.array(["m", "s", None, "l", "s"]).dictionary_encode(),
    "list": pa.array([[2], [1, 2], None, [], [1]]),
    "struct": pa.array([{"a": 2}, {"a": 1}, None, {"a": None}, {"a": 0}]),
    "nothing": pa.nulls(5),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_rows_have_one_order_whatever_they_are_made_of(name: str) -> None:
    table = pa.table({name: COLUMNS[name], "beside": COLUMNS["text"]})
    found = {
        tuple(shown(sorted_by_values(table.take(random.Random(seed).sample(range(5), k=5))))) for seed in range(40)
    }
    assert len(found) == 1
    assert sorted(found.pop()) == sorted(shown(table))


@pytest.mark.parametrize(
    ("name", "sorted_values"),
    [
        ("whole", [1, 1, 2, 3, None]),
        ("large", [1, 2, 3, 2**63, None]),
        ("text", ["Z", "z", "é", "\U0001f600", None]),
        ("truth", [False, False, True, True, None]),
        ("enum", ["l", "m", "s", "s", None]),
        ("bytes", [b"", b"a", b"b", b"\xff", None]),
    ],
)
def test_values_go_up_and_what_is_missing_comes_last(name: str, sorted_values: list[Any]) -> None:
    assert sorted_by_values(pa.table({name: COLUMNS[name]})).column(0).to_pylist() == sorted_values


def test_floating_numbers_go_up_to_what_is_no_number() -> None:
    found = sorted_by_values(pa.table({"x": COLUMNS["floating"]})).column(0).to_pylist()
    assert repr(found) == "[-inf, -0.0, 0.0, nan, None]"


def test_columns_decide_from_left_to_right_and_may_be_called_alike() -> None:
    table = pa.table([pa.array([2, 1, 1]), pa.array([1, 2, 1])], names=["a", "a"])
    assert shown(sorted_by_values(table)) == ["(1, 1)", "(1, 2)", "(2, 1)"]


def test_what_is_in_order_stays_as_it_is() -> None:
    table = pa.table({"id": list(range(1000)), "x": random.Random(1).sample(range(1000), k=1000)})
    assert sorted_by_values(table) is table
    for short in (table.slice(0, 0), table.slice(0, 1)):
        assert sorted_by_values(short) is short


def test_several_pieces_are_one_table() -> None:
    table = pa.concat_tables([pa.table({"x": ["b", None]}), pa.table({"x": ["a", "c"]})])
    assert sorted_by_values(table).column("x").to_pylist() == ["a", "b", "c", None]


VALUES = st.tuples(st.one_of(st.none(), st.integers(0, 3)), st.one_of(st.none(), st.sampled_from("abé")))


@given(st.lists(VALUES, max_size=30))
def test_it_is_a_sort(rows: list[tuple[int | None, str | None]]) -> None:
    columns = [pa.array([row[0] for row in rows], pa.int64()), pa.array([row[1] for row in rows], pa.string())]
    found = sorted_by_values(pa.table(columns, names=["n", "t"]))
    expected = sorted(rows, key=lambda row: [(value is None, value if value is not None else 0) for value in row])
    assert list(zip(*(column.to_pylist() for column in found.columns), strict=True)) == expected
