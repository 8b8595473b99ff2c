"""The day of a view: one for everybody, and looked up for every question."""

from __future__ import annotations

from datetime import UTC, date, datetime

import psycopg
import pytest
from sqlglot import exp

from sfumato.gateway.engines.postgres.clock import during, span, today


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Etc/GMT+12"])
def test_the_day_does_not_follow_the_zone(shared_postgres: str, zone: str) -> None:
    with psycopg.connect(shared_postgres) as connection:
        connection.execute("SELECT set_config('TimeZone', %s, true)", [zone])
        before = datetime.now(UTC).date()
        found = connection.execute(f"SELECT {today().sql('postgres')}".encode()).fetchall()
        assert before <= found[0][0] <= datetime.now(UTC).date()


def test_what_changes_before_and_after_a_day() -> None:
    days = [date(2026, 6, 1), date(2026, 1, 1), date(2027, 1, 1)]
    assert span(days, date(2026, 5, 31)) == (date(2026, 1, 1), date(2026, 6, 1))
    assert span(days, date(2026, 6, 1)) == (date(2026, 6, 1), date(2027, 1, 1))
    assert span(days, date(2025, 1, 1)) == (None, date(2026, 1, 1))
    assert span([], date(2025, 1, 1)) == (None, None)


def test_a_condition_on_the_day_is_checked_once(shared_postgres: str) -> None:
    made = exp.select("1").from_("pg_class").where(*during(date(2026, 1, 1), date(2999, 1, 1))).sql("postgres")
    with psycopg.connect(shared_postgres) as connection:
        plan = "\n".join(line for (line,) in connection.execute(f"EXPLAIN {made}".encode()))
    assert "One-Time Filter" in plan
