"""Steps over floating numbers on both engines, number by number against plain Python."""

from __future__ import annotations

import pytest

from sfumato.gateway.transforms import Bucket, RoundTo
from tests.gateway.transforms.asking import Engine, mismatches
from tests.gateway.transforms.numbers import numbers_for

TYPES = {"duckdb": ("FLOAT", "DOUBLE"), "postgres": ("real", "double precision")}
SOME = [
    *(Bucket(width=width) for width in (1, 7, 0.1, 0.25, 20000, 10**12, 0.00001)),
    *(Bucket(width=width, start=start) for width, start in ((10, 3), (0.5, -0.2), (7, 10**6 + 1))),
    *(RoundTo(step=step) for step in (1, 0.1, 5, 100)),
]


@pytest.mark.parametrize("size", [0, 1])
def test_every_number_is_where_python_says(engine: Engine, size: int) -> None:
    type_name = TYPES[engine.name][size]
    texts = numbers_for(type_name, engine.type_of(type_name))
    engine.fill(type_name, texts)
    assert [found for one in SOME for found in mismatches(engine, one, type_name, texts)] == []


def test_limits_are_what_a_reader_of_the_label_takes_them_for(engine: Engine) -> None:
    """Three times the float 0.1 is more than the float 0.3, which begins the step all the same."""
    engine.fill("DOUBLE PRECISION", ["0.3", "0.29999999999999993", "-0.0", "0.0"])
    found = engine.weaker(Bucket(width=0.1), engine.type_of("double precision"))
    assert [row[2] for row in found] == ["0.3-0.4", "0.2-0.3", "0.0-0.1", "0.0-0.1"]
    assert found[0][0] == 0.3
    assert [str(row[0]) for row in found[2:]] == ["0.0", "0.0"]  # and never -0.0 for one of them


def test_what_is_no_number_or_too_far_is_hidden(engine: Engine) -> None:
    engine.fill("DOUBLE PRECISION", ["NaN", "Infinity", "-Infinity", "1e300", None, "3e13"])
    assert engine.weaker(Bucket(width=10), engine.type_of("double precision")) == [None] * 6


def test_the_smallest_numbers_do_not_make_it_fail(engine: Engine) -> None:
    engine.fill("DOUBLE PRECISION", ["5e-324", "-5e-324", "2.2e-308", "-2.2e-308", "1e-250"])
    for width in (1, 10**9, 1e-12, 7.5):
        found = engine.weaker(Bucket(width=width), engine.type_of("double precision"))
        assert [row[0] >= 0 for row in found] == [True, False, True, False, True]
        assert found[1][1] == -5e-324
