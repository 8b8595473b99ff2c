from __future__ import annotations

from sfumato.gateway.conditions.parser import parse_condition
from sfumato.gateway.conditions.tree import And, Name, Or, all_of, any_of, any_true

A, B, C = (parse_condition(f"{name} = 1") for name in "abc")


def test_parts_of_parts_stand_for_themselves() -> None:
    assert all_of([And((A, B)), C]) == And((A, B, C))
    assert any_of([Or((A, B)), C]) == Or((A, B, C))
    assert all_of([A]) == any_of([A]) == A
    assert all_of([Or((A, B)), C]) == And((Or((A, B)), C))


def test_either() -> None:
    assert any_true([False, None, True]) is True
    assert any_true([False, None]) is None
    assert any_true([False]) is False


def test_names_that_are_words_of_the_language_are_quoted() -> None:
    assert [str(Name(text)) for text in ("hour", "AND", "date", "2nd", "a b", 'a"b')] == [
        "hour",
        '"AND"',
        '"date"',
        '"2nd"',
        '"a b"',
        '"a""b"',
    ]
