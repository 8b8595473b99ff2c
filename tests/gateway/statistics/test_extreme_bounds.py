"""No stored value keeps a least or largest value from being answered, so that no refusal tells who has it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import duckdb
import psycopg
import pytest

from sfumato.gateway.engines.postgres_source import PostgresSource, deployment_of, owner_types
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people import Person
from sfumato.gateway.policy import Policy
from tests.gateway.memory import MemorySource

ADA = Person("ada", frozenset({"analyst"}), {})
LATEST, LATEST_MOMENT = date(9999, 12, 31), datetime(9999, 12, 31, 23, 59, 59, 999999)
LARGEST = Decimal(f"{'9' * 20}.{'9' * 18}")
DAYS = [
    ("DATE", "infinity", LATEST),
    ("DATE", "20345-01-01", LATEST),
    ("DATE", "-infinity", date(1, 1, 1)),
    ("TIMESTAMP", "infinity", LATEST_MOMENT),
    ("TIMESTAMP", "20345-01-01 10:00:00", LATEST_MOMENT),
    ("TIMESTAMP", "-infinity", datetime(1, 1, 1)),
    ("TIMESTAMPTZ", "infinity", LATEST_MOMENT.replace(tzinfo=UTC)),
    ("TIMESTAMPTZ", "-infinity", datetime(1, 1, 1, tzinfo=UTC)),
]
IN_DUCKDB = [
    *DAYS,
    ("TIMESTAMP_S", "infinity", LATEST_MOMENT),
    ("TIMESTAMP_MS", "-infinity", datetime(1, 1, 1)),
    ("DOUBLE", "infinity", float("inf")),
]
IN_POSTGRES = [
    *DAYS,
    ("numeric", "NaN", LARGEST),
    ("numeric", "infinity", LARGEST),
    ("numeric", "-infinity", LARGEST.copy_negate()),
    ("numeric", "1" + "0" * 90, LARGEST),
    ("numeric", "3." + "1" * 90, Decimal("3." + "1" * 18)),
    ("numeric(10, 2)", "NaN", Decimal(f"{'9' * 36}.99")),
    ("numeric(38, 38)", "NaN", Decimal(f"0.{'9' * 38}")),
    ("numeric(3, -2)", "NaN", LARGEST),
    ("numeric(10, 2)", "3.10", Decimal("3.1")),
    ("numeric(90, 60)", "3." + "1" * 60, Decimal("3." + "1" * 18)),
    ("float8", "infinity", float("inf")),
]
POLICY = Policy.of(
    {
        "name": "odd",
        "purposes": {"P": []},
        "tables": {
            "t": {"key": "id", "allowed": ["P"], "columns": {"id": {"selects": True}, "v": {"missing": "open"}}}
        },
        "roles": {"analyst": {}},
        "permissions": [{"role": "analyst", "table": "t", "purpose": "P", "only_aggregates": True}],
        "auditing": {"least": 3},
    }
)


def usual(kind: str) -> str:
    if kind == "numeric(38, 38)":
        return "0.7"
    return "'2026-12-31'" if "DATE" in kind or "TIMESTAMP" in kind else "700"


def asked(gateway: Gateway, function: str, condition: str, person: Person = ADA) -> Any:
    (row,) = gateway.query(f"SELECT {function}(v) AS m FROM t WHERE {condition}", person=person).rows()
    return row[0]


def function_of(value: str) -> str:
    return "min" if value.startswith(("-", "3.")) else "max"


@pytest.mark.parametrize(("kind", "odd", "answer"), IN_DUCKDB)
def test_what_duckdb_holds_is_answered_within_bounds_and_kept(kind: str, odd: str, answer: Any) -> None:
    raw, function = duckdb.connect(), function_of(odd)
    raw.execute(f"CREATE TABLE t AS SELECT range::INT AS id, CAST({usual(kind)} AS {kind}) AS v FROM range(8)")
    raw.execute("ALTER TABLE t ADD PRIMARY KEY (id)")
    gateway = Gateway(POLICY, MemorySource(raw, {"t": {"id": "INTEGER", "v": kind}}))
    before = asked(gateway, function, "id < 4")
    raw.execute(f"UPDATE t SET v = '{odd}' WHERE id IN (1, 5)")
    assert asked(gateway, function, "id < 4") == before
    assert asked(gateway, function, "id >= 4") == answer


def test_what_postgres_holds_is_answered_within_bounds_and_kept(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        connection.execute("CREATE TABLE t (id int PRIMARY KEY, v int)")
        connection.execute("INSERT INTO t SELECT i, 7 FROM generate_series(0, 7) i")
    for kind, odd, answer in IN_POSTGRES:
        function = function_of(odd)
        with psycopg.connect(postgres) as connection:
            connection.execute(f"DROP TABLE t CASCADE; CREATE TABLE t (id int PRIMARY KEY, v {kind})")
            connection.execute(f"INSERT INTO t SELECT i, {usual(kind)} FROM generate_series(0, 7) i")
        types = {"t": owner_types(postgres, "t")}
        deployment_of(POLICY, types, day=datetime.now(UTC).date(), home="odd").deploy(postgres)
        person = Person(f"asks for {kind} {odd}", ADA.roles, {})
        gateway = Gateway(POLICY, PostgresSource(POLICY, postgres, owner=postgres, home="odd"))
        try:
            before = asked(gateway, function, "id < 4", person)
            with psycopg.connect(postgres) as connection:
                connection.execute(f"UPDATE t SET v = '{odd}' WHERE id IN (1, 5)")
            assert asked(gateway, function, "id < 4", person) == before, (kind, odd)
            assert asked(gateway, function, "id >= 4", person) == answer, (kind, odd)
        finally:
            gateway.close()
