"""Direct logins: whatever somebody sets or tries who is let in beside the gateway, they see what the views show."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from sfumato.gateway.engines.postgres.deployment.policy_deployment import deployment_of, tools_login
from sfumato.gateway.engines.postgres.source import owner_types
from sfumato.gateway.policy.policy import Policy
from tests.gateway.canaries import PURPOSES, canaries, found_in
from tests.gateway.canaries import database as rows_of
from tests.gateway.test_law import READ, in_postgres
from tests.postgres import Server, as_role

TODAY = datetime.now(UTC).date()
POLICY = Policy.of(
    {
        "name": "moments",
        "purposes": {"General": ["Care"]},
        "tables": {
            "visit": {
                "key": "id",
                "allowed": ["General"],
                "new_columns": "as_table",
                "columns": {
                    "seen": {"conditions": [{"transform": "calendar", "unit": "month"}]},
                    "born": {"conditions": [{"transform": "calendar", "unit": "year"}]},
                    "weight": {"conditions": [{"transform": "round_to", "step": 10}]},
                },
                "retention": [{"column": "begun", "days": 30}, {"column": "local", "days": 30}],
            }
        },
        "rules": [
            {"name": "weaker", "table": "visit", "columns": ["seen", "born", "weight"], "where": "id != 2",
             "conditional": ["General"]},
            {"name": "old", "table": "visit", "columns": ["note"], "where": "born < date '1980-01-01'",
             "prohibited": ["General"]},
            {"name": "late", "table": "visit", "columns": ["paid"], "where": "local > date '2020-01-01'",
             "prohibited": ["General"]},
            {"name": "between", "table": "visit", "columns": ["scores"], "where": "begun <= seen",
             "prohibited": ["General"]},
            {"name": "later", "table": "visit", "prohibited": ["General"], "valid_from": TODAY + timedelta(days=1)},
        ],
        "roles": {"nurse": {}},
        "permissions": [{"role": "nurse", "table": "visit", "purpose": "General", "valid_until": TODAY}],
    }
)  # fmt: skip
TABLE = """
CREATE TABLE visit (
    id integer PRIMARY KEY, seen timestamptz, born date, weight double precision, begun timestamptz, local timestamp,
    note text, paid money, lasted interval, picture bytea, scores double precision[], place point, span tstzrange
)
"""
OLDEST = f"{TODAY - timedelta(days=30)}"
OLDER = f"{TODAY - timedelta(days=31)}"
ROWS = [
    (1, "2026-03-01 00:30:00+00", "1979-12-31", 71.25, f"{OLDEST} 00:00:00+00", f"{OLDEST} 00:00:00"),
    (2, "2026-02-28 23:30:00+00", "1980-01-01", 1.0000000000000002, f"{OLDEST} 23:59:59+00", f"{OLDEST} 12:00:00"),
    (3, "2026-03-15 12:00:00+00", None, 64.9, f"{OLDER} 23:59:59+00", f"{OLDEST} 12:00:00"),
    (4, "2026-03-15 12:00:00+00", None, 64.9, f"{OLDEST} 12:00:00+00", f"{OLDER} 23:59:59"),
    (5, "infinity", "0044-03-15 BC", None, "infinity", "infinity"),
]
"""Moments at the edges of months, and of the days for which records are kept; the third and fourth are not kept."""

SETTINGS = [
    *({"TimeZone": zone} for zone in ("UTC", "Pacific/Kiritimati", "Etc/GMT+12", "America/Sao_Paulo", "Asia/Kathmandu",
                                      "Europe/London", "Africa/Monrovia", "<+13:59>-13:59")),
    *({"DateStyle": style} for style in ("ISO, DMY", "SQL, MDY", "SQL, DMY", "German, DMY", "Postgres, YMD")),
    *({"IntervalStyle": style} for style in ("postgres", "postgres_verbose", "sql_standard", "iso_8601")),
    *({"extra_float_digits": digits} for digits in ("-15", "-3", "0", "3")),
    {"bytea_output": "escape"},
    *({name: "C"} for name in ("lc_monetary", "lc_numeric", "lc_time")),
    {"search_path": "pg_catalog"},
    {"standard_conforming_strings": "off"},
    {"client_encoding": "SQL_ASCII"},
    {"transform_null_equals": "on"},
    {"TimeZone": "Pacific/Kiritimati", "DateStyle": "SQL, DMY", "extra_float_digits": "-15", "bytea_output": "escape"},
]  # fmt: skip


@pytest.fixture(scope="module")
def owner(postgres_server: Server) -> Iterator[str]:
    with postgres_server.database() as conninfo:
        with psycopg.connect(conninfo) as connection:
            connection.execute(TABLE)
            for row in ROWS:
                connection.execute(
                    "INSERT INTO visit VALUES (%s, %s, %s, %s, %s, %s, 'a note', '12.50', '1 day 02:03:04.5', '\\xff',"
                    " '{1.0000000000000002, 0.1}', '(1.0000000000000002, 0.1)', '[2026-03-01, 2026-03-02)')",
                    row,
                )
        types = {"visit": owner_types(conninfo, "visit")}
        deployment_of(POLICY, types, day=TODAY, prefix=database(conninfo)).deploy(conninfo)
        yield conninfo


def database(conninfo: str) -> str:
    return str(psycopg.conninfo.conninfo_to_dict(conninfo)["dbname"])


@pytest.fixture(scope="module")
def login(owner: str) -> str:
    return as_role(owner, tools_login("Care", database(owner)))


def seen(login: str, owner: str, settings: dict[str, str]) -> list[tuple[Any, ...]]:
    """All rows as bytes, which are the same for the same values in every session."""
    relation = f'"{tools_login("Care", database(owner))}".visit_flat'
    with psycopg.connect(login) as connection:
        for name, value in settings.items():
            connection.execute("SELECT set_config(%s, %s, false)", [name, value])
        result = connection.execute(f"SELECT * FROM {relation}".encode(), binary=True).pgresult
        assert result is not None
        rows = [[result.get_value(row, place) for place in range(result.nfields)] for row in range(result.ntuples)]
        return sorted(map(tuple, rows), key=repr)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_no_setting_changes_what_is_seen(owner: str, login: str, settings: dict[str, str]) -> None:
    assert seen(login, owner, settings) == seen(login, owner, {})


def test_what_is_seen(login: str) -> None:
    text = "SELECT id, seen_shown, seen_exact, born_shown, weight_shown, note, paid::text FROM visit_flat ORDER BY id"
    with psycopg.connect(login) as connection:
        assert connection.execute(text).fetchall() == [
            (1, "2026-03", False, "1979", "70", None, None),
            (2, "2026-02-28 23:30:00.000000+00", True, "1980-01-01", "1", "a note", None),
            (5, None, None, None, None, None, None),
        ]


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12", "Asia/Kathmandu"])
def test_a_month_cannot_be_narrowed_by_moving_the_zone(login: str, zone: str) -> None:
    """The moment lies half an hour after the month began, by the clock of Greenwich."""
    with psycopg.connect(login) as connection:
        connection.execute("SELECT set_config('TimeZone', %s, false)", [zone])
        text = "SELECT seen_lo AT TIME ZONE 'UTC', seen_hi AT TIME ZONE 'UTC', seen_shown FROM visit_flat WHERE id = 1"
        (low, high, shown), *others = connection.execute(text).fetchall()
    assert (str(low), str(high), shown) == ("2026-03-01 00:00:00", "2026-03-31 23:59:59.999999", "2026-03")
    assert others == []


@pytest.mark.parametrize("purpose", PURPOSES)
def test_what_tools_see_does_not_depend_on_what_is_hidden(postgres_server: Server, purpose: str) -> None:
    """The twin of a database has another value wherever the true one is not shown; tools cannot tell which is which."""
    found = []
    for twin in (None, purpose):
        with postgres_server.database() as conninfo:
            prefix = database(conninfo)
            in_postgres(conninfo, prefix, rows_of(READ, twin), 1).close()
            found.append(everything(as_role(conninfo, tools_login(purpose, prefix))))
    true, other = found
    assert true == other
    assert [name for name, _ in true] == ["customer_flat", "orders_flat"]
    assert all(len(rows) > 1 for _, rows in true)
    for name, rows in true:  # an order that is shown may have the name of somebody who is not
        table = name.removesuffix("_flat")
        wanted = {value: where for value, where in canaries(READ, purpose).items() if where.startswith(f"{table}.")}
        assert found_in(repr(rows), wanted) == []


def everything(login: str) -> list[tuple[str, list[str]]]:
    """Every row of every view that a login can read."""
    listed = "SELECT c.oid::regclass::text FROM pg_class c WHERE c.relkind = 'v' AND c.relnamespace = %s::regnamespace"
    with psycopg.connect(login) as connection:
        schema = connection.execute("SELECT quote_ident(current_user)").fetchall()[0][0]
        views = sorted(name for (name,) in connection.execute(listed, [schema]))
        return [
            (view.split(".")[-1], sorted(map(repr, connection.execute(f"SELECT * FROM {view}".encode()))))
            for view in views
        ]
