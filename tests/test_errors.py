from __future__ import annotations

import re

import pytest

from sfumato import errors
from sfumato.errors import SfumatoError, listed, nearest

CLASSES = [thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, SfumatoError)]


def test_the_drawing_shows_the_whole_tree() -> None:
    drawn: list[tuple[str, str]] = []
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"^([├└│─ ]*)(\w+Error)\b", line)
        if found:
            depth = len(found[1])
            above = [item for item in above if item[0] < depth]
            drawn.append((found[2], above[-1][1] if above else "Exception"))
            above.append((depth, found[2]))
    assert sorted(drawn) == sorted((thing.__name__, thing.__bases__[0].__name__) for thing in CLASSES)


@pytest.mark.parametrize("thing", CLASSES)
def test_the_drawing_tells_the_exit_code(thing: type[SfumatoError]) -> None:
    codes = {
        "UsageError": 2, "InfeasibleError": 3, "BudgetError": 3, "LimitError": 3, "DataError": 4, "DeniedError": 5,
    }  # fmt: skip
    expected = next((code for name, code in codes.items() if name in {c.__name__ for c in thing.__mro__}), 2)
    assert thing.exit_code == expected
    assert thing.__doc__


def test_wrong_use_is_a_value_error_too() -> None:
    assert {thing.__name__ for thing in CLASSES if issubclass(thing, ValueError)} == {
        "UsageError", "ParameterError", "SchemaError", "TaxonomyError", "PlanError", "KnowledgeError",
        "UnsuitableError", "PolicyError", "StatementError",
    }  # fmt: skip


def test_whoever_asks_too_often_hears_when_to_ask_again() -> None:
    assert (str(errors.RateError("too often", 7)), errors.RateError("too often", 7).wait) == ("too often", 7)
    assert errors.RateError("too often").wait == 1


def test_nearest_names_one_or_lists_all() -> None:
    assert nearest("widht", ["width", "file"]) == "did you mean 'width'?"
    assert nearest("zzz", ["width", "file"]) == "allowed: file, width."
    assert nearest("zzz", [f"a{place:02}" for place in range(13)]).endswith("a11, ….")


def test_listed_stops_at_the_limit() -> None:
    assert listed([]) == ""
    assert listed(range(10)) == ", ".join(f"'{number}'" for number in range(10))
    assert listed(range(12)).endswith("'9' and 2 more")
    assert listed(iter("ab"), limit=1) == "'a' and 1 more"
