from __future__ import annotations

from typing import Any

import pytest

from sfumato.errors import KnowledgeError
from sfumato.knowledge.sections import place, read_sections

RULE: dict[str, Any] = {"when": {"sex": "M"}, "value": "flu"}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "the file needs 'sensitive'."),
        ({"sensitive": ""}, "sensitive must be a text that is not empty."),
        ({"sensitive": 3}, "sensitive must be text in quotes."),
        ({"sensitive": "s", "nver": []}, "the file has no key 'nver'; did you mean 'never'?"),
        ({"sensitive": "s", "never": {}}, "never must be a list."),
        ({"sensitive": "s", "never": [3]}, "[[never]] number 1 must be a table."),
        ({"sensitive": "s", "never": [RULE, {"value": "flu"}]}, "[[never]] number 2 needs 'when'."),
        ({"sensitive": "s", "never": [{"when": {}}]}, "[[never]] number 1 needs 'value'."),
        ({"sensitive": "s", "never": [RULE | {"suport": 1}]}, "number 1 has no key 'suport'; did you mean 'support'?"),
        ({"sensitive": "s", "never": [RULE | {"share": 1.5}]}, "number 1, share must be a number of at most 1."),
        ({"sensitive": "s", "never": [RULE | {"support": -1}]}, "number 1, support must be a number of at least 0."),
        ({"sensitive": "s", "never": [RULE | {"share": float("nan")}]}, "share must be a finite number."),
        ({"sensitive": "s", "never": [RULE | {"share": "0.5"}]}, "number 1, share must be a number."),
        ({"sensitive": "s", "likely": [RULE]}, "[[likely]] number 1 needs 'share'."),
        ({"sensitive": "s", "share": [RULE]}, "[[share]] number 1 needs 'share'."),
        ({"sensitive": "s", "named": {"job": {"A": []}}}, "[named.job] A must be given with at least one entry."),
        ({"sensitive": "s", "named": {"job": {"A": "x"}}}, "[named.job] A must be a list."),
    ],
)
def test_refusals_say_where_and_what(given: dict[str, Any], told: str) -> None:
    with pytest.raises(KnowledgeError) as refused:
        read_sections(given, "the rules in 'r.toml'")
    assert str(refused.value).startswith("the rules in 'r.toml': ")
    assert str(refused.value).endswith(told)


def test_what_may_be_left_out() -> None:
    made = read_sections(
        {"sensitive": "s", "never": [RULE], "likely": [RULE | {"share": 1, "conviction": float("inf")}]}, "r"
    )
    assert (made.never[0].share, made.likely[0].share, made.share) == (0, 1, [])


def test_places() -> None:
    assert place(()) == "the file"
    assert place(("share", 0, "when", "age")) == "[[share]] number 1, when, age"
