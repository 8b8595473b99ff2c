from __future__ import annotations

from sqlglot import exp

from sfumato.gateway.transforms.sql import pieces
from tests.gateway.transforms.asking import Engine

VALUE = exp.column("value")


def answers(engine: Engine, *made: exp.Expr) -> list[tuple]:
    return engine.rows(exp.select(*made).from_("data").order_by("place").sql(engine.name))


def test_ends_of_the_piece_that_a_value_lies_in(engine: Engine) -> None:
    engine.fill("INTEGER", ["-1", "0", "9", "10", "15", "20", None])
    made = pieces.range_sql([(0, 9), (15, 20)], VALUE, engine.type_of("INTEGER"), engine.name)
    assert answers(engine, *made) == [(None, None), (0, 9), (0, 9), (None, None), (15, 20), (15, 20), (None, None)]


def test_ends_of_the_set_that_a_value_is_in(engine: Engine) -> None:
    engine.fill("INTEGER", ["1", "5", "3", "7", None])
    made = pieces.sets_sql([[5, 1], [7]], VALUE, engine.type_of("INTEGER"), engine.name)
    assert answers(engine, *made) == [(1, 5), (1, 5), (None, None), (7, 7), (None, None)]


def test_labels_go_by_the_least_value(engine: Engine) -> None:
    engine.fill("INTEGER", ["1", "2", None])
    made = pieces.shown_sql([(1, "it's one")], VALUE, engine.type_of("INTEGER"), engine.name)
    assert answers(engine, made) == [("it's one",), (None,), (None,)]
