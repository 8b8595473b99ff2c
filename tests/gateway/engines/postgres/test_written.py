"""Texts of values: the same in every session, and of every value there is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import psycopg
import pytest
from sqlglot import exp

from sfumato.gateway.engines.postgres.written import as_written
from sfumato.gateway.transforms.column_types import ColumnType

SESSIONS = [
    {"TimeZone": zone, "DateStyle": style, "extra_float_digits": digits}
    for zone, (style, digits) in product(
        ("UTC", "Pacific/Kiritimati", "America/Sao_Paulo", "Etc/GMT+12"),
        (("ISO, YMD", "1"), ("SQL, DMY", "-15"), ("German", "3"), ("Postgres, MDY", "0")),
    )
]
TEXTS = [
    ("date", "2026-03-09", "2026-03-09"),
    ("date", "2018-11-04", "2018-11-04"),
    ("date", "0044-03-15 BC", "0044-03-15 BC"),
    ("date", "infinity", "infinity"),
    ("date", "294276-12-31", "294276-12-31"),
    ("timestamp without time zone", "2026-03-09 23:59:59.5", "2026-03-09 23:59:59.500000"),
    ("timestamp without time zone", "-infinity", "-infinity"),
    ("timestamp with time zone", "2026-03-09 23:30:00-05", "2026-03-10 04:30:00.000000+00"),
    ("timestamp with time zone", "0044-03-15 12:00:00+00 BC", "0044-03-15 12:00:00.000000+00 BC"),
    ("timestamp with time zone", "infinity", "infinity"),
    ("timestamp(3) with time zone", "294276-12-31 23:59:59.999+00", "294276-12-31 23:59:59.999000+00"),
    ("double precision", "0.1", "0.1"),
    ("double precision", "1.0000000000000002", "1"),
    ("double precision", "NaN", "NaN"),
    ("double precision", "-Infinity", "-Infinity"),
    ("real", "0.1", "0.1"),
    ("real", "Infinity", "Infinity"),
    ("integer", "-7", "-7"),
    ("numeric(6,2)", "7", "7.00"),
]


@pytest.fixture
def connection(shared_postgres: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(shared_postgres) as opened:
        yield opened


@pytest.mark.parametrize(("kind", "value", "expected"), TEXTS)
def test_no_setting_changes_a_text(connection: psycopg.Connection, kind: str, value: str, expected: str) -> None:
    made = as_written(exp.column("x"), ColumnType.of_postgres(kind)).sql("postgres")
    connection.execute("SET DateStyle = 'ISO, MDY'")
    connection.execute(f"CREATE TEMP TABLE one AS SELECT CAST('{value}' AS {kind}) AS x".encode())
    found = set()
    for session in SESSIONS:
        for name, setting in session.items():
            connection.execute("SELECT set_config(%s, %s, true)", [name, setting])
        found |= {text for (text,) in connection.execute(f"SELECT {made} FROM one".encode())}
    connection.rollback()
    assert found == {expected}


@pytest.mark.parametrize("kind", ["date", "timestamp with time zone", "real"])
def test_what_is_missing_stays_missing(connection: psycopg.Connection, kind: str) -> None:
    made = as_written(exp.cast(exp.null(), kind), ColumnType.of_postgres(kind)).sql("postgres")
    assert connection.execute(f"SELECT {made}".encode()).fetchall() == [(None,)]


def test_a_type_that_is_not_known_is_written_as_the_session_does() -> None:
    assert as_written(exp.column("x"), None).sql("postgres") == "CAST(x AS TEXT)"
