from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from sfumato.gateway.engines.duckdb.small_results import MAX_ROWS, discard_rest, fetch, plain_values, small_result


@pytest.fixture
def con() -> Iterator[Any]:
    with duckdb.connect() as con:
        yield con


PLAIN = ["BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT",
         "DOUBLE", "VARCHAR"]  # fmt: skip


@pytest.mark.parametrize("kind", PLAIN)
def test_few_rows_are_what_the_engine_makes_of_them(con: Any, kind: str) -> None:
    sql = f"SELECT CAST(v AS {kind}) AS v, 1 AS one FROM (VALUES ('0'), ('1'), (NULL)) t(v)"
    found = small_result(con.execute(sql))
    assert found is not None
    assert pa.Table.from_batches([found]).equals(con.sql(sql).to_arrow_table())


@pytest.mark.parametrize("value", ["1.5::DECIMAL(9, 2)", "DATE '2020-02-29'", "7::HUGEINT", "[1, 2]", "'a'::ENUM('a')"])
def test_other_types_take_the_long_way(con: Any, value: str) -> None:
    assert small_result(con.execute(f"SELECT {value} AS v")) is None
    discard_rest(con)
    expected = con.sql(f"SELECT {value} AS v").to_arrow_table()
    assert fetch(con, f"SELECT {value} AS v", []).equals(expected)


@pytest.mark.parametrize("number", [0, 1, MAX_ROWS, MAX_ROWS + 1, 5000])
def test_any_number_of_rows_is_complete(con: Any, number: int) -> None:
    sql = "SELECT range::INTEGER AS i FROM range(?)"
    assert fetch(con, sql, [number]).column("i").to_pylist() == list(range(number))
    assert (small_result(con.execute(sql, [number])) is None) == (number > MAX_ROWS)
    discard_rest(con)
    assert con.sql("SELECT 1 AS one").to_arrow_table().to_pylist() == [{"one": 1}]


def test_values_of_a_few_rows_come_row_by_row() -> None:
    assert plain_values(pa.table({"a": [1, None], "b": ["x", "y"]})) == [1, "x", None, "y"]
    assert plain_values(pa.table({"a": pa.array([], pa.int32())})) == []
    assert plain_values(pa.table({"a": range(MAX_ROWS + 1)})) is None
    assert plain_values(pa.table({"a": pa.array([1], pa.date32())})) is None
