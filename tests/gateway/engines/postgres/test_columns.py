"""Columns: what Arrow holds is what the client library reads, type by type."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal

import psycopg
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import StatementError
from sfumato.gateway.engines.postgres.columns import column
from tests.examples import examples

SAMPLES = {
    "boolean": (pa.bool_(), st.booleans()),
    "smallint": (pa.int16(), st.integers(-(2**15), 2**15 - 1)),
    "integer": (pa.int32(), st.integers(-(2**31), 2**31 - 1)),
    "bigint": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "real": (pa.float32(), st.floats(width=32, allow_nan=False)),
    "double precision": (pa.float64(), st.floats(allow_nan=False)),
    "numeric(12, 2)": (pa.decimal128(12, 2), st.decimals(-(10**9), 10**9, places=2)),
    "text": (pa.string(), st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))),
    "varchar(9)": (pa.string(), st.text("abc", max_size=9)),
    "date": (pa.date32(), st.dates()),
    "time": (pa.time64("us"), st.times()),
    "timestamp": (pa.timestamp("us"), st.datetimes()),
    "timestamptz": (
        pa.timestamp("us", "UTC"),
        st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.just(UTC)),
    ),
    "bytea": (pa.binary(), st.binary()),
    "uuid": (pa.string(), st.uuids().map(str)),
    "jsonb": (pa.string(), st.integers().map(str)),
    "json": (pa.string(), st.integers().map(str)),
}


@pytest.fixture(scope="module")
def connection(shared_postgres: str):
    with psycopg.connect(shared_postgres, autocommit=True) as opened:
        opened.execute("SET TimeZone = 'UTC'")
        yield opened


def asked(connection: psycopg.Connection, question: str, parameters: list[object] | None = None) -> pa.Array:
    result = connection.execute(question, parameters, binary=True).pgresult  # type: ignore[arg-type]
    assert result is not None
    cells = [result.get_value(row, 0) for row in range(result.ntuples)]
    return column("x", result.ftype(0), result.fmod(0), cells)


@pytest.mark.parametrize("kind", SAMPLES)
def test_values_arrive(connection: psycopg.Connection, kind: str) -> None:
    made, values = SAMPLES[kind]

    @examples(25)
    @given(st.lists(st.none() | values, max_size=40))
    def check(given: list[object]) -> None:
        question = f"SELECT v::{kind} FROM unnest(%s::text[]) WITH ORDINALITY AS t(v, place) ORDER BY place"
        found = asked(connection, question, [[None if value is None else _text(value) for value in given]])
        assert found.type == made
        assert found.to_pylist() == given
        found.validate(full=True)

    check()


def _text(value: object) -> str:
    return "\\x" + value.hex() if isinstance(value, bytes) else repr(value) if isinstance(value, float) else str(value)


@pytest.mark.parametrize("rows", [0, 1, 31, 32, 33, 1000])
def test_few_and_many_rows_are_the_same(connection: psycopg.Connection, rows: int) -> None:
    question = "SELECT CASE WHEN i % 3 > 0 THEN i END FROM generate_series(1, {}) i"
    assert asked(connection, question.format(rows)).to_pylist() == [i if i % 3 else None for i in range(1, rows + 1)]
    assert asked(connection, f"SELECT i % 2 = 0 FROM generate_series(1, {rows}) i").to_pylist() == [
        i % 2 == 0 for i in range(1, rows + 1)
    ]


def test_numbers_that_are_none(connection: psycopg.Connection) -> None:
    assert math.isnan(asked(connection, "SELECT 'NaN'::float8").to_pylist()[0])
    for text in ("NaN", "Infinity", "-Infinity"):
        with pytest.raises(StatementError, match="infinite"):
            asked(connection, f"SELECT '{text}'::numeric")


@pytest.mark.parametrize(
    ("question", "kind", "value"),
    [
        ("SELECT 1.50", pa.decimal128(38, 2), Decimal("1.50")),
        ("SELECT sum(i) FROM generate_series(1::bigint, 3) i", pa.decimal128(38, 0), Decimal(6)),
        ("SELECT avg(i) FROM generate_series(1, 2) i", pa.decimal128(38, 16), Decimal("1.5")),
        ("SELECT 1200::numeric(3, -2)", pa.decimal128(5, 0), Decimal(1200)),
        ("SELECT 0.001::numeric(2, 3)", pa.decimal128(3, 3), Decimal("0.001")),
        ("SELECT 10::numeric ^ 50", pa.decimal256(76, 0), Decimal(10) ** 50),
        ("SELECT 5::numeric(50, 3)", pa.decimal256(76, 3), Decimal(5)),
        ("SELECT NULL::numeric", pa.decimal128(38, 0), None),
        ("SELECT DATE '0001-01-01'", pa.date32(), date(1, 1, 1)),
        ("SELECT TIME '24:00' - INTERVAL '1 us'", pa.time64("us"), time(23, 59, 59, 999999)),
        ("SELECT 'x'::\"char\"", pa.string(), "x"),
        ("SELECT 'x'::name", pa.string(), "x"),
        ("SELECT 'x'::char(3)", pa.string(), "x  "),
        ("SELECT NULL", pa.string(), None),
        ("SELECT 7::oid", pa.uint32(), 7),
    ],
)
def test_single_values(connection: psycopg.Connection, question: str, kind: pa.DataType, value: object) -> None:
    found = asked(connection, question)
    assert (found.type, found.to_pylist()) == (kind, [value])


@pytest.mark.parametrize(
    "question",
    [
        "SELECT ARRAY[1]", "SELECT INTERVAL '1 day'", "SELECT ROW(1, 2)", "SELECT int4range(1, 2)",
        "SELECT '(1,2)'::point", "SELECT '12:00+01'::timetz", "SELECT 'a'::tsvector", "SELECT '10.0.0.1'::inet",
        "SELECT B'1'", "SELECT 1::money",
        "SELECT 'infinity'::date", "SELECT '-infinity'::date", "SELECT 'infinity'::timestamp",
        "SELECT '-infinity'::timestamptz", "SELECT '294276-01-01'::timestamp",
        "SELECT 10::numeric ^ 90",
    ],
)  # fmt: skip
def test_what_arrow_cannot_hold_is_refused(connection: psycopg.Connection, question: str) -> None:
    with pytest.raises(StatementError, match=r"column 'x' of the answer .*; cast it to (text|float)\."):
        asked(connection, question)


def test_types_of_the_database_that_are_texts(connection: psycopg.Connection) -> None:
    assert column("x", 99_999, -1, [b"sad", None], textual={99_999}).to_pylist() == ["sad", None]
    with pytest.raises(StatementError, match="not supported"):
        column("x", 99_999, -1, [b"sad"])


class Long(bytes):
    """A text that says that it fills all 32-bit offsets."""

    def __len__(self) -> int:
        return 2**31


def test_few_texts_too_long_for_32_bit_offsets() -> None:
    assert column("x", 25, -1, [Long(), b"short"]).to_pylist() == ["", "short"]
