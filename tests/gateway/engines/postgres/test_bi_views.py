"""The flat relation: names any tool can write, none of them as if a weaker value were exact."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import psycopg
import pytest
from sqlglot import exp, parse_one

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.bi_views import as_stable_text, flat_select
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


def test_every_shape_has_its_names() -> None:
    made = flat_select(["id", "income.lo", "income.hi", "income.hidden", "name", "name.exact"], exp.to_table("t"))
    assert made.named_selects == [
        "id", "income_lo", "income_hi", "income_exact", "income_shown", "name_shown", "name_exact",
    ]  # fmt: skip


def test_what_somebody_chose_is_not_told() -> None:
    made = flat_select(["id", "income.lo", "income.hi", "income.hidden", "id.hidden"], exp.to_table("t"))
    assert "hidden" not in made.sql("postgres")


def test_names_that_meet_are_refused() -> None:
    with pytest.raises(PolicyError, match="two columns 'income_lo'"):
        flat_select(["income_lo", "income.lo", "income.hi"], exp.to_table("t"))


def test_a_dot_alone_is_no_shape() -> None:
    assert flat_select(["a.b", "x.hi"], exp.to_table("t")).named_selects == ["a.b", "x_hi"]


def test_how_a_range_is_shown_can_be_said(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        connection.execute('CREATE VIEW t AS SELECT * FROM (VALUES (1, 9), (5, 5), (NULL, NULL)) v("x.lo", "x.hi")')
        shown = {"x": parse_one("""'about ' || "x.lo" """, dialect="postgres")}
        made = flat_select(["x.lo", "x.hi"], exp.to_table("t"), shown)
        found = connection.execute(made.sql("postgres")).fetchall()  # type: ignore[arg-type]
    assert found == [(1, 9, False, "about 1"), (5, 5, True, "5"), (None, None, None, None)]


@pytest.fixture
def connection(shared_postgres: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(shared_postgres) as opened:
        yield opened


@pytest.mark.parametrize(("kind", "value", "expected"), TEXTS)
def test_no_setting_changes_a_text(connection: psycopg.Connection, kind: str, value: str, expected: str) -> None:
    made = as_stable_text(exp.column("x"), ColumnType.of_postgres(kind)).sql("postgres")
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
    made = as_stable_text(exp.cast(exp.null(), kind), ColumnType.of_postgres(kind)).sql("postgres")
    assert connection.execute(f"SELECT {made}".encode()).fetchall() == [(None,)]


def test_a_type_that_is_not_known_is_written_as_the_session_does() -> None:
    assert as_stable_text(exp.column("x"), None).sql("postgres") == "CAST(x AS TEXT)"
