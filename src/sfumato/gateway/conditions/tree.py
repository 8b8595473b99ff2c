"""The nodes of a condition: comparisons and tests, and the connectives of a logic with true, false and unknown.

`parser` builds the tree, `Condition` evaluates it, and `sql` translates it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Literal

from sfumato.gateway.conditions.ordering import compare

Sign = Literal["=", "!=", "<", "<=", ">", ">="]
Kind = Literal["integer", "decimal", "text", "boolean", "date"]

WORD = r"[^\W\d]\w*"
KEYWORDS = frozenset({"and", "or", "not", "in", "is", "null", "true", "false", "date"})
SWAPPED_SIGNS: dict[Sign, Sign] = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_OPERATORS: dict[Sign, Callable[[int, int], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Name:
    """The name of an attribute or a column; case matters."""

    text: str

    def value(self, attributes: Mapping[str, object]) -> object:
        """The value of the attribute; None if it is missing."""
        return attributes.get(self.text)

    def __str__(self) -> str:
        plain = re.fullmatch(WORD, self.text) is not None and self.text.lower() not in KEYWORDS
        return self.text if plain else '"' + self.text.replace('"', '""') + '"'


@dataclass(frozen=True)
class Value:
    """A value written in the condition, with its kind, because 1 and true are equal in Python but differ here."""

    literal: int | Decimal | str | bool | date
    kind: Kind

    def value(self, attributes: Mapping[str, object]) -> object:
        """The value itself, whatever the attributes are."""
        return self.literal

    def __str__(self) -> str:
        if isinstance(self.literal, str):
            return "'" + self.literal.replace("'", "''") + "'"
        if isinstance(self.literal, Decimal):
            return format(self.literal, "f")
        return f"date '{self.literal}'" if isinstance(self.literal, date) else str(self.literal).lower()


@dataclass(frozen=True)
class Comparison:
    """A comparison of two operands, at least one of them a name."""

    left: Name | Value
    sign: Sign
    right: Name | Value

    @property
    def names(self) -> frozenset[str]:
        """The names that it reads."""
        return frozenset(side.text for side in (self.left, self.right) if isinstance(side, Name))

    def check(self, attributes: Mapping[str, object]) -> bool | None:
        """Whether it holds; None if a value is missing or the two cannot be compared."""
        order = compare(self.left.value(attributes), self.right.value(attributes))
        return None if order is None else _OPERATORS[self.sign](order, 0)

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"


@dataclass(frozen=True)
class SetMembership:
    """Whether the value of a name is in a list; `inside` is false for `not in`."""

    name: Name
    values: tuple[Value, ...]
    inside: bool = True

    @property
    def names(self) -> frozenset[str]:
        """The name that it reads."""
        return frozenset({self.name.text})

    def check(self, attributes: Mapping[str, object]) -> bool | None:
        """Whether it holds: true, false or unknown like comparisons with each value, joined by or."""
        found = any_true(Comparison(self.name, "=", value).check(attributes) for value in self.values)
        return found if self.inside or found is None else not found

    def __str__(self) -> str:
        return f"{self.name} {'in' if self.inside else 'not in'} ({', '.join(map(str, self.values))})"


@dataclass(frozen=True)
class NullTest:
    """Whether the value of a name is missing; the only test whose result is never unknown."""

    name: Name
    missing: bool = True

    @property
    def names(self) -> frozenset[str]:
        """The name that it reads."""
        return frozenset({self.name.text})

    def check(self, attributes: Mapping[str, object]) -> bool | None:
        """Whether it holds."""
        return (self.name.value(attributes) is None) is self.missing

    def __str__(self) -> str:
        return f"{self.name} is {'null' if self.missing else 'not null'}"


@dataclass(frozen=True)
class Not:
    """The negation of a condition."""

    part: Node

    @property
    def names(self) -> frozenset[str]:
        """The names that it reads."""
        return self.part.names

    def check(self, attributes: Mapping[str, object]) -> bool | None:
        """Whether it holds; the negation of unknown is unknown."""
        found = self.part.check(attributes)
        return None if found is None else not found

    def __str__(self) -> str:
        return f"not ({self.part})" if isinstance(self.part, And | Or) else f"not {self.part}"


@dataclass(frozen=True)
class And:
    """The conjunction of several parts, none of them an And itself."""

    parts: tuple[Node, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that its parts read."""
        return frozenset[str]().union(*(part.names for part in self.parts))

    def check(self, attributes: Mapping[str, object]) -> bool | None:
        """Whether all hold: false if one is false, else unknown if one is unknown."""
        found = {part.check(attributes) for part in self.parts}
        return False if False in found else None if None in found else True

    def __str__(self) -> str:
        return " and ".join(f"({part})" if isinstance(part, Or) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Or:
    """The disjunction of several parts, none of them an Or itself."""

    parts: tuple[Node, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that its parts read."""
        return frozenset[str]().union(*(part.names for part in self.parts))

    def check(self, attributes: Mapping[str, object]) -> bool | None:
        """Whether one holds: true if one is true, else unknown if one is unknown."""
        return any_true(part.check(attributes) for part in self.parts)

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))


Node = Comparison | SetMembership | NullTest | Not | And | Or


def all_of(parts: Iterable[Node]) -> Node:
    """The conjunction of parts; nested conjunctions are flattened, and a single part is returned as it is."""
    flat = [one for part in parts for one in (part.parts if isinstance(part, And) else (part,))]
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def any_of(parts: Iterable[Node]) -> Node:
    """The disjunction of parts; nested disjunctions are flattened, and a single part is returned as it is."""
    flat = [one for part in parts for one in (part.parts if isinstance(part, Or) else (part,))]
    return flat[0] if len(flat) == 1 else Or(tuple(flat))


def any_true(answers: Iterable[bool | None]) -> bool | None:
    """The disjunction of results: true if one is true, else unknown (None) if one is unknown, else false."""
    found = set(answers)
    return True if True in found else None if None in found else False
