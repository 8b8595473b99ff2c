"""Steps over decimals of any length, which only PostgreSQL has."""

from __future__ import annotations

from sfumato.gateway.transforms import Bucket, RoundTo
from tests.gateway.transforms.asking import Engine, mismatches
from tests.gateway.transforms.numbers import TRANSFORMS, numbers_for


def test_every_number_is_where_python_says(on_postgres: Engine) -> None:
    column_type = on_postgres.type_of("numeric")
    texts = numbers_for("numeric", column_type)
    on_postgres.fill("numeric", texts)
    suited = [transform for transform in TRANSFORMS if transform.suits(column_type)]
    assert len(suited) == len(TRANSFORMS) - 1  # all but the one with 41 digits
    assert [found for one in suited for found in mismatches(on_postgres, one, "numeric", texts)] == []


def test_how_a_number_was_written_does_not_show(on_postgres: Engine) -> None:
    on_postgres.fill("numeric", ["20", "20.0", "25.000000", "29.99999999999999999999999"])
    for transform in (Bucket(width=10), RoundTo(step=100), Bucket(width=0.5, start=20)):
        low, high = transform.range_sql(_value(), on_postgres.type_of("numeric"), "postgres")
        texts = f"SELECT ({low.sql('postgres')})::text, ({high.sql('postgres')})::text FROM data WHERE value < 26"
        assert len(set(on_postgres.rows(texts))) == (2 if transform == Bucket(width=0.5, start=20) else 1)


def _value():
    from sqlglot import exp

    return exp.column("value", quoted=True)


def test_where_no_value_is_right_before_a_limit_the_limit_is_given(on_postgres: Engine) -> None:
    on_postgres.fill("numeric", ["29.9999999999", "30", "-0.5"])
    found = on_postgres.weaker(Bucket(width=10), on_postgres.type_of("numeric"))
    assert [(int(low), int(high), shown) for low, high, shown in found] == [
        (20, 30, "20-30"),
        (30, 40, "30-40"),
        (-10, 0, "-10 to 0"),
    ]


def test_what_is_no_number_or_too_long_is_hidden(on_postgres: Engine) -> None:
    on_postgres.fill("numeric", ["NaN", "Infinity", "-Infinity", "1e200", "-1e131071", None])
    assert on_postgres.weaker(Bucket(width=10), on_postgres.type_of("numeric")) == [None] * 6
