from __future__ import annotations

from datetime import date
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.conditions.conditions import Condition
from tests.oracles.condition_oracle import conditions, holds, written

NAMES, VALUES = ("a", "b", "c"), (0, 1, 2, "x")
ASSIGNMENTS = [
    dict(zip(NAMES, chosen, strict=True)) for chosen in product((None, 0, 1, 2, True, "x"), repeat=len(NAMES))
]


@given(conditions(NAMES, VALUES))
def test_a_condition_means_what_the_truth_tables_say(drawn: tuple) -> None:
    condition = Condition.parse(written(drawn))
    for row in ASSIGNMENTS:
        assert condition.check(row) is holds(drawn, row)


@given(conditions(NAMES, (*VALUES, True, False, "it's", date(2026, 1, 31))))
def test_a_condition_that_is_written_out_reads_the_same(drawn: tuple) -> None:
    condition = Condition.parse(written(drawn))
    assert Condition.parse(str(condition)) == condition
    assert condition.names == Condition.parse(str(condition)).names


@given(st.text(), conditions(NAMES, VALUES))
def test_attributes_that_a_condition_does_not_name_change_nothing(other: str, drawn: tuple) -> None:
    condition = Condition.parse(written(drawn))
    row = {"a": 1, "b": 2}
    expected = condition.check(row)
    if other not in condition.names:
        assert condition.check({**row, other: 1}) is expected


def test_an_attribute_is_missing_or_none_and_unknown_either_way() -> None:
    condition = Condition.parse("level > 3")
    assert condition.check({}) is None
    assert condition.check({"level": None}) is None
    assert Condition.parse("not level > 3").check({}) is None
    assert Condition.parse("level is null").check({}) is True
    assert Condition.parse("level is not null").check({"level": 0}) is True


def test_names_are_all_that_it_looks_at() -> None:
    text = """a = 1 and (b < c or not "d d" in (1, 2)) and e is null"""
    assert Condition.parse(text).names == {"a", "b", "c", "d d", "e"}


def test_one_is_not_true() -> None:
    assert Condition.parse("a = 1") != Condition.parse("a = true")
    assert Condition.parse("a = 1").check({"a": True}) is None
    assert Condition.parse("a = true").check({"a": 1}) is None


def test_conditions_can_be_kept_in_sets() -> None:
    assert len({Condition.parse("a = 1"), Condition.parse("a == 1"), Condition.parse("(a = 1)")}) == 1
