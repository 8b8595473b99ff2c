"""Every transform keeps its promises, and the checks notice when one does not."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import pytest
from sqlglot import exp

from sfumato.checks.base import ConformanceError
from sfumato.gateway.transforms import Bucket, FirstLetter
from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.checks import check_transform
from sfumato.settings import catalogue
from sfumato.settings.params import param

EXAMPLES = {
    "bucket": [{"width": 10}, {"width": 0.5, "start": 0.25}, {"width": 7, "start": -3}],
    "calendar": [{}, {"unit": "week"}, {"unit": "decade"}, {"unit": "day"}],
    "drop_house_number": [{}, {"stands": "after"}],
    "first_letter": [{}],
    "generalize": [
        {"taxonomy": {"branches": {"ANY": {"Artist": ["Alice", "Bob"], "Town": ["4350"]}}}},
        {"taxonomy": {"groups": [["0", "1"], ["35", "48"]]}, "numbers": True},
        {"taxonomy": {"intervals": [0, 18, 65, 120]}, "level": 2},
        {"taxonomy": {"width": 5}, "level": 3},
        {"taxonomy": {"mask": "left"}, "level": 2},
        {"taxonomy": {"dates": True}, "level": 3},
    ],
    "hide_identifiers": [{"columns": ["name"]}],
    "prefix": [{"length": 2}, {"length": 1, "fill": "*"}],
    "round_to": [{"step": 10}, {"step": 5}, {"step": 0.1}],
}


def test_every_transform_has_an_example() -> None:
    assert set(EXAMPLES) == set(catalogue.names("transforms"))


@pytest.mark.parametrize(
    ("name", "settings"), [(name, settings) for name, several in EXAMPLES.items() for settings in several]
)
def test_every_transform_conforms(name: str, settings: dict) -> None:
    assert check_transform(catalogue.find("transforms", name).build(settings)) is None


class _Inventive(FirstLetter):
    def weaker(self, value, column_type):
        return "" if value is None else super().weaker(value, column_type)


class _Numeric(FirstLetter):
    def weaker(self, value, column_type):
        return None if value is None else len(value)


@dataclass(frozen=True, kw_only=True)
class _Touching(Transform):
    makes = "plain"
    for_kinds = frozenset({"text"})

    def weaker(self, value, column_type):
        return value and value + "!"


class _Counting(FirstLetter):
    numbers = count()

    def weaker(self, value, column_type):
        return None if value is None else str(next(self.numbers))


class _Nosy(FirstLetter):
    def text_sql(self, value, column_type, engine):
        return exp.column("name")


class _Asking(FirstLetter):
    def text_sql(self, value, column_type, engine):
        return exp.select("1").subquery()


class _Restless(FirstLetter):
    numbers = count()

    def text_sql(self, value, column_type, engine):
        return exp.Literal.number(next(self.numbers))


class _Deaf(FirstLetter):
    def demand(self, column_type, column):
        return None


class _Nameless(FirstLetter):
    def demand(self, column_type, column):
        super().demand(column_type, "that")


class _Nobodys(FirstLetter):
    for_kinds = frozenset()


class _Above(Bucket):
    def weaker(self, value, column_type):
        found = super().weaker(value, column_type)
        return found and (found[1], found[1])


class _Around(Bucket):
    def weaker(self, value, column_type):
        return None if value is None or value != value else (value - 1, value + 1)


class _Mute(Bucket):
    def shown(self, low, column_type):
        return 7


@dataclass(frozen=True, kw_only=True)
class _Forgetful(FirstLetter):
    share: float = param(0.1, doc="of what")

    def to_dict(self):
        return {"name": self.name()}


@pytest.mark.parametrize(
    ("transform", "words"),
    [
        (_Inventive(), "of a missing value"),
        (_Numeric(), "makes something else"),
        (_Touching(), "leaves values as they are"),
        (_Counting(), "two weaker forms"),
        (_Nosy(), "other columns"),
        (_Asking(), "other rows"),
        (_Restless(), "another SQL"),
        (_Deaf(), "does not suit"),
        (_Nameless(), "without naming it"),
        (_Nobodys(), "suits no type"),
        (_Above(width=10), "is not in"),
        (_Around(width=10), "overlap"),
        (_Mute(width=10), "no text"),
        (_Forgetful(share=0.2), "not rebuilt"),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, Transform) else "",
)
def test_a_broken_promise_is_noticed(transform: Transform, words: str) -> None:
    with pytest.raises(ConformanceError, match=words):
        check_transform(transform)
