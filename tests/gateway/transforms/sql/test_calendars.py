"""Units of the calendar on both engines, moment by moment against plain Python."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta

import pytest

from sfumato.gateway.transforms import Calendar
from tests.gateway.transforms.asking import Engine, mismatches

UNITS = ("day", "week", "month", "quarter", "year", "decade")
TYPES = [
    *(("duckdb", name) for name in ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP WITH TIME ZONE")),
    *(("postgres", name) for name in ("date", "timestamp without time zone", "timestamp with time zone")),
    *(("postgres", name) for name in ("timestamp(0) without time zone", "timestamp(3) with time zone")),
]


def days() -> list[date]:
    draw = random.Random(7)
    drawn = [date.fromordinal(draw.randint(1, date.max.toordinal())) for _ in range(300)]
    turns = [date(year, month, 1) for year in (1, 9, 10, 1600, 1970, 2000, 2020, 2026, 9999) for month in (1, 3, 4, 12)]
    beside = [turn + timedelta(days=step) for turn in turns for step in (-1, 1, 6) if turn.year > 1]
    return [*drawn, *turns, *beside, date(9999, 12, 27), date(9999, 12, 31), date(2021, 1, 3), date(2024, 2, 29)]


def written(column_type) -> list[str | None]:
    """Days, or moments at their beginning, at their very end and between."""
    if column_type.kind == "date":
        return [None, *(day.isoformat() for day in days())]
    digits = min(column_type.second_digits, 6)
    last = f"23:59:59.{'9' * digits}".rstrip(".")
    zone = "+00" if column_type.zoned else ""
    found = [f"{day.isoformat()} {clock}{zone}" for day in days() for clock in ("00:00:00", last, "12:30:01")]
    return [None, *found]


BEYOND = {
    "date": {"duckdb": ("infinity", "-infinity", "10000-01-01", "5881580-07-10", "5877642-06-25 (BC)")},
    "timestamp": {"duckdb": ("infinity", "-infinity", "10000-01-01", "294247-01-10 04:00:54.775806")},
}
BEYOND["date"]["postgres"] = ("infinity", "-infinity", "10000-01-01", "5874897-12-31", "4713-01-01 BC", "0001-12-31 BC")
BEYOND["timestamp"]["postgres"] = ("infinity", "-infinity", "294276-12-31", "4713-01-01 BC", "0001-12-31 23:00 BC")


@pytest.mark.parametrize(("name", "type_name"), TYPES)
def test_every_moment_is_where_python_says(name: str, type_name: str, request: pytest.FixtureRequest) -> None:
    engine: Engine = request.getfixturevalue(f"on_{name}")
    column_type = engine.type_of(type_name)
    texts = written(column_type)
    engine.fill(type_name, texts)
    assert [found for unit in UNITS for found in mismatches(engine, Calendar(unit=unit), type_name, texts)] == []


@pytest.mark.parametrize("kind", BEYOND)
def test_what_lies_beyond_the_calendar_is_hidden_and_nothing_fails(engine: Engine, kind: str) -> None:
    texts = [*BEYOND[kind][engine.name], "2026-03-09"]
    engine.fill(kind, texts)
    for unit in UNITS:
        found = engine.weaker(Calendar(unit=unit), engine.type_of(kind))
        assert found[:-1] == [None] * (len(texts) - 1)
        assert found[-1][0] <= (date(2026, 3, 9) if kind == "date" else datetime(2026, 3, 9)) <= found[-1][1]


@pytest.mark.parametrize("place", ["America/New_York", "Asia/Tokyo"])
def test_where_somebody_sits_does_not_matter(engine: Engine, place: str) -> None:
    engine.fill("TIMESTAMP WITH TIME ZONE", ["2026-01-01 00:30:00+00"])
    column_type = engine.type_of("timestamp with time zone")
    engine.run(f"SET TimeZone = '{place}'")
    try:
        [(low, high, shown)] = engine.weaker(Calendar(unit="year"), column_type)
    finally:
        engine.run("SET TimeZone = 'UTC'")
    assert (low.astimezone(UTC), shown) == (datetime(2026, 1, 1, tzinfo=UTC), "2026")
    assert high.astimezone(UTC) == datetime(2026, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)


def test_how_somebody_likes_dates_written_does_not_matter(on_postgres: Engine) -> None:
    on_postgres.fill("date", ["2026-03-09"])
    on_postgres.run("SET DateStyle = 'German, DMY'")
    try:
        [(_, _, shown)] = on_postgres.weaker(Calendar(unit="month"), on_postgres.type_of("date"))
    finally:
        on_postgres.run("SET DateStyle = 'ISO, MDY'")
    assert shown == "2026-03"


def test_nanoseconds_are_not_rounded_into_the_next_unit(on_duckdb: Engine) -> None:
    texts = ["2026-03-31 23:59:59.999999999", "2026-04-01 00:00:00", "1970-01-01", "1969-12-31 23:59:59.999999999"]
    on_duckdb.fill("TIMESTAMP_NS", [*texts, "1677-12-31", "2262-04-01", "infinity", None])
    found = on_duckdb.weaker(Calendar(unit="month"), on_duckdb.type_of("TIMESTAMP_NS"))
    assert [row and row[2] for row in found] == ["2026-03", "2026-04", "1970-01", "1969-12", None, None, None, None]
    inside = on_duckdb.rows(
        "SELECT value >= '2026-03-01'::TIMESTAMP_NS AND value <= '2026-04-01'::TIMESTAMP_NS FROM data WHERE place = 0"
    )
    assert (found[0][:2], inside) == ((datetime(2026, 3, 1), datetime(2026, 4, 1)), [(True,)])
    decade = on_duckdb.weaker(Calendar(unit="decade"), on_duckdb.type_of("TIMESTAMP_NS"))
    assert decade[0][:2] == (datetime(2020, 1, 1), datetime(2030, 1, 1))
