from __future__ import annotations

from datetime import date
from decimal import Decimal

import duckdb
import pytest
from sqlglot import exp

from sfumato.gateway.engines.duckdb.raw_rows import RawRows, padded_to_power_of_two, table_named


def test_rows_come_with_their_choices_or_with_none() -> None:
    rows = RawRows(
        table=table_named("people"),
        key="id",
        choices=table_named("people", "kept"),
        chosen={"a.choice": True, "b.choice": False},
    )
    with duckdb.connect() as con:
        con.execute("CREATE TABLE people AS SELECT * FROM (VALUES (1, 'x'), (2, 'y')) t(id, a)")
        con.execute('CREATE SCHEMA kept; CREATE TABLE kept.people AS SELECT 2 AS id, 3 AS "a.choice"')
        found = con.sql(exp.select("*").from_(rows.query()).sql("duckdb")).to_arrow_table()
    assert found.column_names == ["id", "a", "a.choice", "b.choice"]
    assert sorted(zip(*found.to_pydict().values(), strict=True)) == [(1, "x", None, None), (2, "y", 3, None)]


@pytest.mark.parametrize(
    ("kind", "value"),
    [("INTEGER", 7), ("BIGINT", -(2**62)), ("VARCHAR", "it's; --"), ("DATE", date(2020, 2, 29)),
     ("DECIMAL(20,3)", Decimal("1.250")), ("UUID", "00000000-0000-0000-0000-00000000002a"),
     ("TIMESTAMP WITH TIME ZONE", "2020-01-01 00:00:00+00")],
)  # fmt: skip
def test_rows_are_found_by_keys_of_any_type(kind: str, value: object) -> None:
    rows = RawRows(table=table_named("a.b", "s"), key="the key", choices=table_named("none"), chosen={})
    with duckdb.connect() as con:
        con.execute(f'CREATE SCHEMA s; CREATE TABLE s."a.b" ("the key" {kind})')
        con.execute('INSERT INTO s."a.b" VALUES (?), (NULL)', [value])
        query = exp.select("*").from_(rows.rows_with_keys(kind, 2)).sql("duckdb")
        assert con.sql(query, params=[value, None]).to_arrow_table().num_rows == 1
        assert con.sql(query, params=[None, None]).to_arrow_table().num_rows == 0
        assert con.sql(exp.select("*").from_(rows.query()).sql("duckdb")).to_arrow_table().num_rows == 2


@pytest.mark.parametrize(("number", "made"), [(0, 1), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (33, 64), (5000, 8192)])
def test_keys_are_padded_with_one_of_them(number: int, made: int) -> None:
    found = padded_to_power_of_two(list(range(number)))
    assert len(found) == made
    assert found[:number] == list(range(number))
    assert set(found) == (set(range(number)) or {None})
