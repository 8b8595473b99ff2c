from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from sqlglot import exp

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.sql import building
from tests.gateway.transforms.asking import Engine

CONSTANTS = [
    ("BIGINT", -(2**63)),
    ("DECIMAL(38,10)", Decimal("-9999999999999999999999999999.9999999999")),
    ("DOUBLE PRECISION", 5e-324),
    ("DOUBLE PRECISION", -1.7976931348623157e308),
    ("DATE", date(1, 1, 1)),
    ("TIMESTAMP", datetime(9999, 12, 31, 23, 59, 59, 999999)),
]


@pytest.mark.parametrize(("name", "value"), CONSTANTS)
def test_a_constant_is_that_value_on_every_engine(engine: Engine, name: str, value: object) -> None:
    constant = building.constant(value, engine.type_of(name), engine.name)
    assert engine.rows(f"SELECT {constant.sql(engine.name)}") == [(value,)]


def test_moments_are_those_of_greenwich(engine: Engine) -> None:
    moment = datetime(2026, 3, 9, 12, tzinfo=UTC)
    constant = building.constant(moment, engine.type_of("TIMESTAMP WITH TIME ZONE"), engine.name)
    [(found,)] = engine.rows(f"SELECT {constant.sql(engine.name)}")
    assert found == moment


def test_an_unnamed_type_has_a_common_name(engine: Engine) -> None:
    for kind, value in (("integer", 7), ("float", 0.5), ("date", date(2026, 1, 1)), ("boolean", "true")):
        constant = building.constant(value, ColumnType(kind), engine.name)
        assert engine.rows(f"SELECT {constant.sql(engine.name)}") == [(True if kind == "boolean" else value,)]


@pytest.mark.parametrize("text", ["", "it's", "a\\b", "\\'", "'; DROP TABLE data; --", "%s", "é😀", "\n", "$1", "E'x'"])
def test_a_text_stays_that_text(engine: Engine, text: str) -> None:
    assert engine.rows(f"SELECT {building.text(text).sql(engine.name)}") == [(text,)]


def test_parts_are_copied() -> None:
    value = exp.column("x")
    for made in (
        building.call("ABS", value),
        building.between(value, value, value),
        building.concatenated(value, value),
        building.case_when([(value, value)], value),
        building.as_collated_text(value),
    ):
        assert len(list(made.find_all(exp.Column))) >= 1
        assert all(found is not value for found in made.find_all(exp.Column))
    assert value.parent is None


def test_conditions_that_do_not_hold_give_nothing(engine: Engine) -> None:
    made = building.case_when([(exp.false(), building.number(1))])
    assert engine.rows(f"SELECT {made.sql(engine.name)}") == [(None,)]
