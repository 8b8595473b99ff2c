"""Rows are shown for their time and no longer, by the clock of Greenwich, on both engines."""

from __future__ import annotations

from datetime import date

import pytest
from sqlglot import exp

from sfumato.errors import PolicyError
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView
from tests.gateway.memory import memory_database

DAY = date(2026, 11, 15)
TODAY = exp.cast(exp.Literal.string(DAY.isoformat()), "date")
PURPOSES = {"General": ["Admin", "Marketing"], "Marketing": ["Phone", "Post"]}
TYPES = {
    name: ColumnType.of_duckdb(kind)
    for name, kind in {"id": "INTEGER", "income": "INTEGER", "name": "VARCHAR", "since": "DATE"}.items()
}


def kept_by(column: str, **more: str) -> Policy:
    """A policy that keeps rows for ten days after the day in a column."""
    table = {"key": "id", "allowed": ["General"], "retention": [{"column": column, "days": 10, **more}]}
    return Policy.of({"name": "p", "purposes": PURPOSES, "tables": {"t": table}})


def test_records_are_kept_for_their_time() -> None:
    policy = kept_by("since", purpose="Marketing")
    con = memory_database()
    con.execute("CREATE TABLE t (id INT, income INT, name VARCHAR, since DATE)")
    con.execute("INSERT INTO t (id, since) VALUES (0, '2026-11-14'), (1, '2026-11-05'), (2, '2026-11-04'), (3, NULL)")

    def kept(purpose: str) -> list[int]:
        view = PurposeView.of(policy, "t", purpose, TYPES, day=DAY)
        return [
            row[0] for row in con.sql(view.select(exp.to_table("t"), "duckdb", today=TODAY).sql("duckdb")).fetchall()
        ]

    assert kept("Phone") == [0, 1]
    assert kept("Admin") == [0, 1, 2, 3]


@pytest.mark.parametrize("column", ["income", "name"])
def test_records_are_kept_from_a_day_and_nothing_else(column: str) -> None:
    """What is no day would have to be read as one, and what an engine says about a failure could show the value."""
    with pytest.raises(PolicyError, match=f"kept from the day in column {column!r}"):
        PurposeView.of(kept_by(column), "t", "Admin", TYPES, day=DAY)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Etc/GMT+12"])
def test_records_are_kept_by_the_clock_of_greenwich(zone: str) -> None:
    types = {"id": TYPES["id"], "since": ColumnType.of_duckdb("TIMESTAMP WITH TIME ZONE")}
    view = PurposeView.of(kept_by("since"), "t", "Admin", types, day=DAY)
    con = memory_database()
    con.execute(f"SET TimeZone = '{zone}'; CREATE TABLE t (id INT, since TIMESTAMPTZ)")
    con.execute("INSERT INTO t VALUES (1, '2026-11-05 00:00:00+00'), (2, '2026-11-04 23:59:59+00'), (3, NULL)")
    made = view.select(exp.to_table("t"), "duckdb", today=TODAY)
    assert con.sql(made.sql("duckdb")).fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("kind", "oldest"),
    [
        ("date", "(CURRENT_DATE) - 10"),
        ("timestamp without time zone", "CAST((CURRENT_DATE) - 10 AS TIMESTAMP)"),
        ("timestamp with time zone", "CAST((CURRENT_DATE) - 10 AS TIMESTAMP) AT TIME ZONE 'UTC'"),
    ],
)
def test_in_postgres_the_day_is_compared_as_it_is_so_that_an_index_can_be_used(kind: str, oldest: str) -> None:
    types = {"id": TYPES["id"], "since": ColumnType.of_postgres(kind)}
    view = PurposeView.of(kept_by("since"), "t", "Admin", types, day=DAY)
    made = view.select(exp.to_table("t"), "postgres", today=exp.CurrentDate())
    assert made.sql("postgres").endswith(f'WHERE "since" >= (SELECT {oldest})')
