"""No stored value keeps an exact aggregate from being answered, or changes how an earlier answer looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import duckdb
import psycopg
import pytest

from sfumato.errors import StatementError
from sfumato.gateway.engines.duckdb.embedded import EmbeddedSource
from sfumato.gateway.engines.duckdb.private_database import PrivateDuckDb
from sfumato.gateway.engines.postgres.deployment.policy_deployment import deployment_of
from sfumato.gateway.engines.postgres.source import PostgresSource, owner_types
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy

LATEST, LATEST_MOMENT = date(9999, 12, 31), datetime(9999, 12, 31, 23, 59, 59, 999999)
LARGEST = Decimal(f"{'9' * 28}.{'9' * 10}")
DAYS = [
    ("DATE", "infinity", "max", LATEST),
    ("DATE", "20345-01-01", "max", LATEST),
    ("DATE", "-infinity", "min", date(1, 1, 1)),
    ("TIMESTAMP", "infinity", "max", LATEST_MOMENT),
    ("TIMESTAMP", "20345-01-01 10:00:00", "max", LATEST_MOMENT),
    ("TIMESTAMP", "-infinity", "min", datetime(1, 1, 1)),
    ("TIMESTAMPTZ", "infinity", "max", LATEST_MOMENT.replace(tzinfo=UTC)),
    ("TIMESTAMPTZ", "-infinity", "min", datetime(1, 1, 1, tzinfo=UTC)),
]
IN_DUCKDB = [
    *DAYS,
    ("TIMESTAMP_S", "infinity", "max", LATEST_MOMENT.replace(microsecond=0)),
    ("TIMESTAMP_MS", "-infinity", "min", datetime(1, 1, 1)),
    ("TIMESTAMP_NS", "-infinity", "min", datetime(1, 1, 1)),
    ("TIMESTAMP_NS", "2027-01-01 00:00:00.000000001", "max", datetime(2027, 1, 1)),
    ("DOUBLE", "infinity", "max", float("inf")),
    ("DOUBLE", "1e308", "sum", 1e140 + 2100.0),
    ("DOUBLE", "nan", "avg", 525.0),
    ("REAL", "3e38", "sum", pytest.approx(1e30)),
    ("BIGINT", "9223372036854775807", "sum", 9223372036854775807 + 2100),
    ("HUGEINT", str(2**127 - 1), "max", 10**38 - 1),
    ("HUGEINT", str(-(2**127)), "min", 1 - 10**38),
    ("HUGEINT", str(2**127 - 1), "sum", 10**30 + 2100),
    ("HUGEINT", str(2**127 - 1), "avg", pytest.approx(10**30 / 4)),
    ("DECIMAL(38, 0)", "9" * 38, "sum", 10**30 + 2100),
    ("DECIMAL(38, 10)", "9" * 28, "sum", 10**20 + 2100),
    ("DECIMAL(38, 30)", "9" * 8, "sum", 99999999 + 2100),
    ("DECIMAL(38, 30)", "9" * 8, "max", 99999999),
]
IN_POSTGRES = [
    *DAYS,
    ("numeric", "NaN", "max", LARGEST),
    ("numeric", "infinity", "max", LARGEST),
    ("numeric", "-infinity", "min", LARGEST.copy_negate()),
    ("numeric", "1" + "0" * 90, "max", LARGEST),
    ("numeric", "3." + "1" * 90, "min", Decimal("3." + "1" * 10)),
    ("numeric", "250.5", "max", 700),
    ("numeric", "250.5", "sum", Decimal("2350.5")),
    ("numeric", "1" + "0" * 90, "sum", 10**20 + 2100),
    ("numeric", "NaN", "sum", 2100),
    ("numeric", "1" + "0" * 400, "avg", pytest.approx(10**20 / 4)),
    ("numeric(10, 2)", "NaN", "max", Decimal(f"{'9' * 36}.99")),
    ("numeric(10, 2)", "3.10", "min", Decimal("3.1")),
    ("numeric(3, -2)", "NaN", "max", 10**38 - 1),
    ("numeric(5, 40)", "NaN", "max", Decimal(f"{'9' * 20}.{'9' * 18}")),
    ("numeric(38, 38)", "NaN", "max", Decimal(f"{'9' * 20}.{'9' * 18}")),
    ("numeric(50, 10)", "250.5", "max", 700),
    ("numeric(90, 60)", "3." + "1" * 60, "min", Decimal("3." + "1" * 18)),
    ("bigint", "9223372036854775807", "sum", 9223372036854775807 + 2100),
    ("float8", "infinity", "max", float("inf")),
    ("float8", "1e308", "sum", 1e140),
    ("float8", "1e308", "avg", 2.5e139),
    ("numeric", "0." + "0" * 399 + "1", "avg", 525),
    ("numeric(1000, 400)", "0." + "0" * 399 + "1", "avg", 525),
    ("numeric", "9" * 131072 + "." + "9" * 100, "sum", 10**20 + 2100),
    ("numeric", "9" * 131072 + "." + "9" * 100, "avg", pytest.approx(10**20 / 4)),
    ("numeric(30, -10)", "1" + "0" * 39, "sum", 10**30),
    ("numeric(30, -10)", "1" + "0" * 39, "avg", 10**30 / 4),
    ("numeric(3, -400)", "1" + "0" * 402, "avg", 10**30 / 4),
    ("real", "3e38", "sum", pytest.approx(1e30)),
]
ANALYST = Person("ana", frozenset({"analyst"}), {})


def policy(tables: Sequence[str]) -> Policy:
    columns = {"id": {"selects": True}, "v": {"missing": "open"}}
    return Policy.of(
        {
            "name": "odd",
            "purposes": {"P": []},
            "tables": {table: {"key": "id", "allowed": ["P"], "columns": columns} for table in tables},
            "roles": {"analyst": {}},
            "permissions": [
                {"role": "analyst", "table": table, "purpose": "P", "only_aggregates": True} for table in tables
            ],
            "auditing": {"least": 3},
        }
    )


def usual(kind: str) -> str:
    if kind in ("numeric(5, 40)", "numeric(38, 38)"):
        return "0"
    return "'2026-12-31'" if "DATE" in kind or "TIMESTAMP" in kind else "700"


def asked(gateway: Gateway, function: str, table: str, condition: str) -> tuple[Any, str]:
    """The answer, and how it looks with its type."""
    text = f"SELECT {function}(v) AS m FROM {table} WHERE {condition}"
    found = gateway.query(text, person=ANALYST)
    ((answer,),) = found.rows()
    return answer, f"{answer!r} {found.flat.schema.types}"


@pytest.fixture(scope="module")
def in_duckdb() -> Iterator[tuple[Gateway, PrivateDuckDb]]:
    """A gateway with a table for every case, so that one worker answers all of them."""
    tables = {f"t{place}": kind for place, (kind, *_) in enumerate(IN_DUCKDB)}
    private = PrivateDuckDb(duckdb.connect(), keys=dict.fromkeys(tables, "id"))
    for table, kind in tables.items():
        made = f"CREATE TABLE {table} AS SELECT range::INT AS id, CAST({usual(kind)} AS {kind}) AS v FROM range(8)"
        private.change(table, made)
    gateway = Gateway(policy(list(tables)), EmbeddedSource(private, children=1))
    yield gateway, private
    gateway.close()


@pytest.mark.parametrize(
    ("table", "odd", "function", "answer"),
    [(f"t{place}", *case[1:]) for place, case in enumerate(IN_DUCKDB)],
    ids=[f"{kind}-{odd}-{function}" for kind, odd, function, _ in IN_DUCKDB],
)
def test_what_duckdb_holds_is_answered_within_bounds_and_kept(
    in_duckdb: tuple[Gateway, PrivateDuckDb], table: str, odd: str, function: str, answer: Any
) -> None:
    gateway, private = in_duckdb
    _, before = asked(gateway, function, table, "id < 4")
    private.change(table, f"UPDATE {table} SET v = '{odd}' WHERE id IN (1, 5)")
    assert asked(gateway, function, table, "id < 4")[1] == before
    assert asked(gateway, function, table, "id >= 4")[0] == answer


def test_what_postgres_holds_is_answered_within_bounds_and_kept(postgres: str) -> None:
    cases = {f"t{place}": case for place, case in enumerate(IN_POSTGRES)}
    with psycopg.connect(postgres) as connection:
        for table, (kind, *_) in cases.items():
            connection.execute(f"CREATE TABLE {table} (id int PRIMARY KEY, v {kind})")
            connection.execute(f"INSERT INTO {table} SELECT i, {usual(kind)} FROM generate_series(0, 7) i")
    given, types = policy(list(cases)), {table: owner_types(postgres, table) for table in cases}
    deployment_of(given, types, day=datetime.now(UTC).date(), prefix="odd").deploy(postgres)
    gateway = Gateway(given, PostgresSource(given, postgres, owner=postgres, prefix="odd"))
    try:
        before = {table: asked(gateway, case[2], table, "id < 4")[1] for table, case in cases.items()}
        with psycopg.connect(postgres) as connection:
            for table, (_, odd, *_) in cases.items():
                connection.execute(f"UPDATE {table} SET v = '{odd}' WHERE id IN (1, 5)")
        for table, (kind, odd, function, answer) in cases.items():
            assert asked(gateway, function, table, "id < 4")[1] == before[table], (kind, odd)
            assert asked(gateway, function, table, "id >= 4")[0] == answer, (kind, odd, function)
    finally:
        gateway.close()


@pytest.fixture
def grouped() -> Iterator[Gateway]:
    """Values by which groups are made: two texts of one number, and dates that Python does not have."""
    private = PrivateDuckDb(duckdb.connect(), keys={"t": "id"})
    private.change(
        "t",
        """CREATE TABLE t AS SELECT range::INT AS id, DATE '2026-01-01' AS v,
        CASE range % 3 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN 'inf'::DOUBLE - 'inf'::DOUBLE ELSE 1 END AS x,
        CASE range % 2 WHEN 0 THEN DATE 'infinity' ELSE DATE '2026-01-01' END AS d FROM range(12)""",
    )
    given = policy(["t"]).sections.model_dump(by_alias=True, exclude_unset=True)
    given["tables"]["t"]["columns"] |= {"x": {"selects": True}, "d": {"selects": True}}
    gateway = Gateway(Policy.of(given), EmbeddedSource(private, children=1))
    yield gateway
    gateway.close()


def test_equal_numbers_with_two_texts_are_one_group(grouped: Gateway) -> None:
    found = grouped.query("SELECT x, count(*) AS n FROM t GROUP BY x", person=ANALYST).rows()
    assert sorted(count for _, count in found) == [4, 8]


@pytest.mark.parametrize(
    "text", ["SELECT d, count(*) AS n FROM t GROUP BY d", "SELECT max(v) + 3000000 AS x FROM t WHERE id < 9"]
)
def test_dates_that_python_does_not_have_are_refused_by_type(grouped: Gateway, text: str) -> None:
    with pytest.raises(StatementError, match="infinite date, or one too far off; cast it to text"):
        grouped.query(text, person=ANALYST).rows()
