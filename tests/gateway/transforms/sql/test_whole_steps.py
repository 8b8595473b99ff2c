"""Steps over whole numbers and decimals on both engines, number by number against plain Python."""

from __future__ import annotations

import pytest

from sfumato.gateway.transforms import Bucket, RoundTo
from tests.gateway.transforms.asking import Engine, mismatches
from tests.gateway.transforms.numbers import DUCKDB, POSTGRES, TRANSFORMS, numbers_for

WHOLE = [
    (engine, name)
    for engine, names in (("duckdb", DUCKDB), ("postgres", POSTGRES))
    for name in names
    if name not in ("FLOAT", "DOUBLE", "real", "double precision", "numeric")
]


@pytest.mark.parametrize(("name", "type_name"), WHOLE)
def test_every_number_is_where_python_says(name: str, type_name: str, request: pytest.FixtureRequest) -> None:
    engine: Engine = request.getfixturevalue(f"on_{name}")
    column_type = engine.type_of(type_name)
    texts = numbers_for(type_name, column_type, count=60)
    engine.fill(type_name, texts)
    suited = [transform for transform in TRANSFORMS if transform.suits(column_type)]
    assert len(suited) >= 5
    assert [found for one in suited for found in mismatches(engine, one, type_name, texts)] == []


@pytest.mark.parametrize("transform", [Bucket(width=10), Bucket(width=7, start=3), RoundTo(step=10)], ids=str)
def test_no_whole_number_makes_it_fail_when_branches_are_mixed(engine: Engine, transform: Bucket) -> None:
    """What an engine says of a failure could show the number, so the ends of the type stand among common numbers."""
    ends = ["-9223372036854775808", "9223372036854775807", "-9223372036854775807", "9223372036854775800"]
    texts = [*ends, *map(str, range(-1000, 1000)), None, *ends]
    engine.fill("BIGINT", texts)
    assert mismatches(engine, transform, "BIGINT", texts) == []
    assert len(engine.rows("SELECT * FROM data")) == len(texts)


def test_what_is_no_least_value_of_a_range_cannot_make_the_label_fail(engine: Engine) -> None:
    engine.fill("BIGINT", ["9223372036854775807", "9223372036854775799", "-9223372036854775808", "5"])
    column_type = engine.type_of("BIGINT")
    shown = Bucket(width=10).shown_sql(_value(), column_type, engine.name)
    rows = engine.rows(f"SELECT {shown.sql(engine.name)} FROM data ORDER BY place")
    assert [len(row) for row in rows] == [1, 1, 1, 1]
    assert rows[2] == ("-9223372036854775810 to -9223372036854775800",)


def _value():
    from sqlglot import exp

    return exp.column("value", quoted=True)


def test_a_step_wider_than_the_type_is_the_whole_type(engine: Engine) -> None:
    engine.fill("SMALLINT", ["-32768", "-1", "0", "32767", None])
    found = engine.weaker(Bucket(width=10**30), engine.type_of("SMALLINT"))
    assert [row and row[:2] for row in found] == [(-32768, -1), (-32768, -1), (0, 32767), (0, 32767), None]
