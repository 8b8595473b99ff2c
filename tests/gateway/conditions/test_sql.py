"""Conditions as SQL, on both engines, against the same conditions checked in Python."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from itertools import product
from typing import Any

import duckdb
import psycopg
import pytest
from hypothesis import given
from sqlglot import exp

from sfumato.errors import PolicyError
from sfumato.gateway.conditions.conditions import Condition
from sfumato.gateway.transforms.column_types import ColumnType
from tests.examples import examples
from tests.oracles.condition_oracle import conditions, holds, written

COLUMNS: dict[str, tuple[str, str, list[Any]]] = {
    "i": ("integer", "INTEGER", [0, 1, 2, -3, 2**31 - 1]),
    "n": ("decimal", "DECIMAL(9,2)", [Decimal("0.00"), Decimal("1.50"), Decimal("-0.25"), Decimal("9999999.99")]),
    "w": ("decimal", "DECIMAL(38,0)", [Decimal(0), Decimal(2), Decimal("9" * 38), Decimal("-" + "9" * 38)]),
    "t": ("decimal", "DECIMAL(38,30)", [Decimal(0), Decimal("1.5"), Decimal(10) ** -30]),
    "f": ("float", "DOUBLE PRECISION", [0.0, 1.5, 0.1, -0.25, 1e300, float("inf"), float("-inf"), float("nan")]),
    "s": ("text", "TEXT", ["", "a", "B", "Z", "é", "it's", "a\\b", "日本", "😀"]),
    "b": ("boolean", "BOOLEAN", [True, False]),
    "d": ("date", "DATE", [date(2026, 1, 31), date(1999, 12, 31)]),
    "m": ("timestamp", "TIMESTAMP", [datetime(2026, 1, 31), datetime(2026, 1, 31, 7, 30, 1, 250), datetime(99, 1, 1)]),
    "null": ("integer", "INTEGER", [1]),
}
VALUES = [
    *(0, 1, 2, -3, 10**29, -(10**29), -123456789012345678901234567890),
    *map(Decimal, ("1.5", "-0.25", "0.1", "0.005", "1.00", "9999999.999", "-10000000.5")),
    Decimal("123456789012345678901234567.891"),
    *("", "a", "b", "Z", "é", "it's", "a\\b", "a' OR '1'='1", "日本", "%s", "?", ":x", "$1", "\n"),
    *(True, False, date(2026, 1, 31), date(1, 1, 1)),
]
NARROW = [name for name in COLUMNS if name not in ("w", "t")]
DRAWN = random.Random(7)
ROWS = [
    {name: None if DRAWN.random() < 0.2 else DRAWN.choice(values) for name, (_, _, values) in COLUMNS.items()}
    for _ in range(80)
]
Ask = Callable[..., list[Any]]
"""The truth values of a condition in all rows; of several conditions, by one statement, one list for each."""


def column(name: str) -> exp.Expression:
    return exp.column(name, table="data", quoted=True)


def asked(conditions: Sequence[Condition], types: dict[str, ColumnType], engine: str) -> str:
    selected = [condition.sql(column, types) for condition in conditions]
    return exp.select(*selected).from_("data").order_by("place").sql(engine)


def by_condition(rows: Sequence[Sequence[Any]]) -> list[Any]:
    """The columns of rows, or the only one."""
    found = [list(values) for values in zip(*rows, strict=True)]
    return found if len(found) > 1 else found[0]


def exactly(value: object) -> object:
    """DuckDB takes a long decimal for a float, unless it comes as text."""
    return str(value) if isinstance(value, Decimal) else value


def table(engine: str) -> str:
    text = "TEXT COLLATE NOCASE" if engine == "duckdb" else "TEXT"  # not the order of the bytes
    types = ", ".join(f'"{name}" {text if kind == "text" else sql}' for name, (kind, sql, _) in COLUMNS.items())
    return f"CREATE TEMPORARY TABLE data (place INTEGER, {types})"


@pytest.fixture(scope="module")
def in_duckdb() -> Iterator[Ask]:
    with closing(duckdb.connect(":memory:")) as connection:
        connection.execute(table("duckdb"))
        marks = ", ".join("?" * (len(COLUMNS) + 1))
        rows = [[place, *map(exactly, row.values())] for place, row in enumerate(ROWS)]
        connection.executemany(f"INSERT INTO data VALUES ({marks})", rows)
        types = {row[0]: ColumnType.of_duckdb(row[1]) for row in connection.execute("DESCRIBE data").fetchall()}
        yield lambda *given: by_condition(connection.execute(asked(given, types, "duckdb")).fetchall())


@pytest.fixture(scope="module")
def in_postgres(shared_postgres: str) -> Iterator[Ask]:
    with psycopg.connect(shared_postgres, autocommit=True) as connection:
        connection.execute(table("postgres"))
        marks = ", ".join(["%s"] * (len(COLUMNS) + 1))
        with connection.cursor() as cursor:
            rows = [[place, *row.values()] for place, row in enumerate(ROWS)]
            cursor.executemany(f"INSERT INTO data VALUES ({marks})", rows)
        found = connection.execute(
            "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
            " WHERE attrelid = 'data'::regclass AND attnum > 0"
        ).fetchall()
        types = {name: ColumnType.of_postgres(text) for name, text in found}
        yield lambda *given: by_condition(connection.execute(asked(given, types, "postgres")).fetchall())


@given(conditions(NARROW, VALUES, leaves=5))
@examples(200)
def test_duckdb_answers_as_python_does(in_duckdb: Ask, drawn: tuple) -> None:
    condition = Condition.parse(written(drawn))
    expected = [holds(drawn, row) for row in ROWS]
    assert [condition.check(row) for row in ROWS] == expected
    assert in_duckdb(condition) == expected


@given(conditions(NARROW, VALUES, leaves=5))
@examples(200)
def test_postgres_answers_as_python_does(in_postgres: Ask, drawn: tuple) -> None:
    condition = Condition.parse(written(drawn))
    assert in_postgres(condition) == [holds(drawn, row) for row in ROWS]


@pytest.mark.parametrize("name", COLUMNS)
def test_every_column_with_every_value(in_duckdb: Ask, in_postgres: Ask, name: str) -> None:
    every: list[list[tuple]] = [[("compare", ("name", name), sign, value) for value in VALUES] for sign in SIGNS]
    every.append([("in", ("name", name), [value, "a", 1], True) for value in VALUES])
    for some in every:
        given = [Condition.parse(written(node)) for node in some]
        expected = [[holds(node, row) for row in ROWS] for node in some]
        assert in_duckdb(*given) == expected
        assert in_postgres(*given) == expected


def test_long_and_deep_conditions_run(in_duckdb: Ask, in_postgres: Ask) -> None:
    long = Condition.parse(" or ".join(["i=9"] * 1100))
    deep = Condition.parse("not (i = 1 or " * 24 + "i = 2" + ")" * 24)
    for condition in (long, deep):
        expected = [condition.check(row) for row in ROWS]
        assert in_duckdb(condition) == in_postgres(condition) == expected


def test_numbers_that_are_none_are_unknown_in_decimals_too(in_postgres: Ask, shared_postgres: str) -> None:
    condition = Condition.parse("x > 5")
    sql = condition.sql(exp.column, {"x": ColumnType.of_postgres("numeric")})
    with psycopg.connect(shared_postgres) as connection:
        found = connection.execute(
            f"SELECT {sql.sql('postgres')} FROM (VALUES ('NaN'::numeric), ('Infinity'), (6), (4.5)) AS t(x)"
        ).fetchall()
    assert [row[0] for row in found] == [None, None, True, False]


def test_clocks_with_a_time_zone_are_compared_with_each_other_only() -> None:
    zoned = ColumnType.of_postgres("timestamp with time zone")
    plain = ColumnType.of_postgres("timestamp without time zone")

    def sql(text: str) -> str:
        return Condition.parse(text).sql(exp.column, {"z": zoned, "y": zoned, "p": plain}).sql("postgres")

    assert sql("z > date '2026-01-31'") == "CAST(NULL AS BOOLEAN)"
    assert sql("z > p") == "CAST(NULL AS BOOLEAN)"
    assert sql("z > y") == "z > y"
    assert sql("p > date '2026-01-31'") == "CAST(p AS TIMESTAMP) > CAST('2026-01-31 00:00:00' AS TIMESTAMP)"


def test_columns_that_no_common_type_holds_are_not_compared_with_each_other(in_duckdb: Ask) -> None:
    for text in ("i < t", "t = w", "n != w", "w >= n"):
        with pytest.raises(PolicyError, match="38 digits"):
            in_duckdb(Condition.parse(text))
    for text in ("i < w", "w > i", "i < n", "n < f", "f < t", "w = f"):
        condition = Condition.parse(text)
        assert in_duckdb(condition) == [condition.check(row) for row in ROWS]


def test_lists_of_texts_are_compared_as_texts() -> None:
    sql = Condition.parse("x < 'b' and x != 'none of them'").sql(
        exp.column, {"x": ColumnType.of_duckdb("ENUM('c', 'a')")}
    )
    with closing(duckdb.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE data AS SELECT unnest(['c', 'a', NULL])::ENUM('c', 'a') AS x")
        found = connection.execute(exp.select(sql).from_("data").sql("duckdb")).fetchall()
    assert [row[0] for row in found] == [False, True, None]


def test_columns_of_other_types_can_only_be_missing() -> None:
    types = {"x": ColumnType.of_postgres("uuid")}
    assert Condition.parse("x = 'a'").sql(exp.column, types).sql() == "CAST(NULL AS BOOLEAN)"
    assert Condition.parse("x is null").sql(exp.column, types).sql() == "x IS NULL"


def test_without_types_the_engine_compares() -> None:
    found = Condition.parse("a = 1 and (b in ('x', 'y') or not c < d)").sql(exp.column)
    assert found.sql() == "a = 1 AND (b IN ('x', 'y') OR NOT (c < d))"


SIGNS = ("=", "!=", "<", "<=", ">", ">=")
HALFWAY = 2**1024 - 2**970
"""From here on a number is nearer to infinity than to the largest float."""

EXTREME_NUMBERS = {
    "n": ["0", "1.5", "1e400", "-1e400", "1e-400", "-1e-400", "1e-310", "1e308", str(HALFWAY), str(HALFWAY - 1),
          "9" * 2000, "0." + "0" * 2000 + "1", "4.9e-324", "NaN", "Infinity", "-Infinity"],
    "declared": ["0", "1e390", "-1e390", "1e-400", "7"],
    "coarse": ["0", "1e322", "-9e321", "1e320"],
    "f": ["0", "1.5", "1.7976931348623157e308", "-1.7976931348623157e308", "5e-324", "NaN", "Infinity", "-Infinity"],
    "r": ["0", "3.4e38", "1e-45", "NaN"],
    "i": ["0", "9223372036854775807", "-9223372036854775808"],
}  # fmt: skip
NUMERIC_TYPES = {
    "n": "numeric", "declared": "numeric(900,450)", "coarse": "numeric(5,-320)",
    "f": "double precision", "r": "real", "i": "bigint",
}  # fmt: skip


def in_python(kind: str, text: str) -> object:
    return int(text) if kind == "i" else float(text) if kind == "f" else Decimal(text)


@pytest.mark.parametrize("other", ["n", "declared", "coarse", "r", "i"])
def test_no_number_makes_a_comparison_with_floats_fail_in_postgres(shared_postgres: str, other: str) -> None:
    types = {name: ColumnType.of_postgres(kind) for name, kind in NUMERIC_TYPES.items()}
    conditions = [Condition.parse(f"{other} {sign} f") for sign in SIGNS]
    selected = ", ".join(condition.sql(exp.column, types).sql("postgres") for condition in conditions)
    with psycopg.connect(shared_postgres) as connection:
        for left, right in product(EXTREME_NUMBERS[other], EXTREME_NUMBERS["f"]):
            (found,) = connection.execute(
                f"SELECT {selected} FROM (SELECT '{left}'::{NUMERIC_TYPES[other]} AS {other},"
                f" '{right}'::double precision AS f OFFSET 0) AS t".encode()
            ).fetchall()
            if other != "r":
                values = {other: in_python(other, left), "f": in_python("f", right)}
                assert list(found) == [condition.check(values) for condition in conditions], (left, right)


EXTREME_DAYS = {
    "postgres": {
        "d": ["-infinity", "4714-11-24 BC", "2030-01-01", "200000-01-01", "294277-01-01", "300000-01-01",
              "5874897-12-31", "infinity"],
        "m": ["-infinity", "4714-11-24 00:00:00 BC", "2030-01-01 00:00:00", "200000-01-01 12:00:00", "infinity"],
    },
    "duckdb": {
        "d": ["-infinity", "5877642-06-25 (BC)", "290400-01-01 (BC)", "2030-01-01", "200000-01-01", "294300-01-01",
              "300000-01-01", "5881580-07-10", "infinity"],
        "m": ["-infinity", "290309-12-22 (BC) 00:00:00", "2030-01-01 00:00:00", "200000-01-01 12:00:00", "infinity"],
    },
}  # fmt: skip


def days_of(text: str) -> float:
    """Days of a calendar, roughly: good enough for years apart."""
    if text.endswith("infinity"):
        return float(text.replace("infinity", "inf"))
    year, month, rest = text.split("-", 2)
    past = "BC" in text
    hours = 0.5 if "12:00:00" in text else 0
    return (-int(year) if past else int(year)) * 366 + int(month) * 31 + int(rest[:2]) + hours


@pytest.mark.parametrize("engine", ["postgres", "duckdb"])
def test_no_day_makes_a_comparison_with_moments_fail(shared_postgres: str, engine: str) -> None:
    """A day beyond all moments is later than each of them, or earlier."""
    read = ColumnType.of_postgres if engine == "postgres" else ColumnType.of_duckdb
    types = {"d": read("date"), "m": read("timestamp")}
    selected = ", ".join(Condition.parse(f"d {sign} m").sql(exp.column, types).sql(engine) for sign in SIGNS)
    with psycopg.connect(shared_postgres) as server, closing(duckdb.connect(":memory:")) as embedded:
        for day, moment in product(EXTREME_DAYS[engine]["d"], EXTREME_DAYS[engine]["m"]):
            text = f"SELECT {selected} FROM (SELECT CAST('{day}' AS date) AS d, CAST('{moment}' AS timestamp) AS m"
            text += " OFFSET 0) AS t"
            found = server.execute(text.encode()) if engine == "postgres" else embedded.execute(text)
            (row,) = found.fetchall()
            finite = not (abs(days_of(day)) > 290_000 * 366 and "inf" in moment)
            if finite:
                left, right = days_of(day), days_of(moment)
                expected = (left == right, left != right, left < right, left <= right, left > right, left >= right)
                assert row == expected, (day, moment)


WIDE = {
    "uhugeint": ["0", str(2**128 - 1)],
    "hugeint": [str(-(2**127)), str(2**127 - 1)],
    "bigint": [str(-(2**63)), "5"],
    "ubigint": [str(2**64 - 1)],
    "decimal(38,0)": ["9" * 38, "-" + "9" * 38],
    "decimal(38,37)": ["9." + "9" * 37],
    "double": ["1.7976931348623157e308", "5e-324", "nan", "inf"],
    "float": ["3.4e38", "1e-45"],
    "date": EXTREME_DAYS["duckdb"]["d"],
    "timestamp": EXTREME_DAYS["duckdb"]["m"],
    "timestamp_s": ["2030-01-01", "294247-01-09"],
    "timestamp_ms": ["2030-01-01", "294247-01-09"],
    "timestamp_ns": ["1677-09-22", "2262-04-11"],
    "timestamptz": ["-infinity", "290000-01-01 (BC) 00:00:00+00", "294247-01-09 00:00:00+00"],
}


@pytest.mark.parametrize("kind", WIDE)
def test_no_value_makes_a_comparison_of_two_columns_fail_in_duckdb(kind: str) -> None:
    with closing(duckdb.connect(":memory:")) as connection:
        for other, values in WIDE.items():
            types = {"x": ColumnType.of_duckdb(kind), "y": ColumnType.of_duckdb(other)}
            try:
                sql = Condition.parse("x < y or x = y").sql(exp.column, types).sql("duckdb")
            except PolicyError:
                continue
            for left in WIDE[kind]:
                for right in values:
                    row = f"SELECT CAST('{left}' AS {kind}) AS x, CAST('{right}' AS {other}) AS y"
                    connection.execute(f"SELECT {sql} FROM ({row}) AS t").fetchall()
