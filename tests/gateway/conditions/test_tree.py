from __future__ import annotations

from itertools import product

from hypothesis import given

from sfumato.gateway.conditions.parser import parsed
from sfumato.gateway.conditions.tree import And, Name, Or, all_of, any_of, either
from tests.oracles.condition_oracle import conditions, written

A, B, C = (parsed(f"{name} = 1") for name in "abc")
ROWS = [dict(zip("ab", chosen, strict=True)) for chosen in product((None, 0, 1, "x"), repeat=2)]


@given(conditions(("a", "b"), (0, 1, "x")))
def test_the_opposite_is_true_where_it_is_false_and_unknown_where_it_is_unknown(drawn: tuple) -> None:
    node = parsed(written(drawn))
    for row in ROWS:
        found = node.check(row)
        assert node.opposite().check(row) is (None if found is None else not found)


def test_parts_of_parts_stand_for_themselves() -> None:
    assert all_of([And((A, B)), C]) == And((A, B, C))
    assert any_of([Or((A, B)), C]) == Or((A, B, C))
    assert all_of([A]) == any_of([A]) == A
    assert all_of([Or((A, B)), C]) == And((Or((A, B)), C))


def test_either() -> None:
    assert either([False, None, True]) is True
    assert either([False, None]) is None
    assert either([False]) is False


def test_names_that_are_words_of_the_language_are_quoted() -> None:
    assert [str(Name(text)) for text in ("hour", "AND", "date", "2nd", "a b", 'a"b')] == [
        "hour",
        '"AND"',
        '"date"',
        '"2nd"',
        '"a b"',
        '"a""b"',
    ]
