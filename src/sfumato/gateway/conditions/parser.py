"""Parses the text of a condition into its tree; `Condition.parse` calls it.

    condition   = conjunction, or conjunctions joined by "or"
    conjunction = negation, or negations joined by "and"
    negation    = "not" negation | "(" condition ")" | atom
    atom        = name "is" ["not"] "null" | name ["not"] "in" "(" values ")" | operands joined by signs

Every word is a name, except the nine keywords. Decision 24 says why sqlglot does not parse conditions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import NoReturn

from sfumato.errors import PolicyError
from sfumato.gateway.conditions.tree import (
    KEYWORDS,
    WORD,
    Comparison,
    Name,
    Node,
    Not,
    NullTest,
    SetMembership,
    Sign,
    Value,
    all_of,
    any_of,
)

MAX_CHARACTERS = 10_000
MAX_DEPTH = 50
MAX_DIGITS = 30

_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?![\w.]))"
    r"|(?P<text>'(?:[^']|'')*')"
    r'|(?P<quoted>"(?:[^"]|"")+")'
    r"|(?P<sign><=|>=|<>|!=|==|=|<|>)"
    r"|(?P<mark>[(),])"
    rf"|(?P<word>{WORD})"
)
_SIGNS: dict[str, Sign] = {
    "=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}  # fmt: skip


@dataclass(frozen=True)
class Token:
    """A token: its kind, its text, and the position where it starts."""

    kind: str
    text: str
    at: int

    def __str__(self) -> str:
        shown = self.text if len(self.text) <= 30 else self.text[:30] + "…"
        return "the end" if self.kind == "end" else repr(shown)


def parse_condition(text: str) -> Node:
    """The tree of a condition; refuses a text that is not one, or that is too long or too deep.

    >>> str(parse_condition("9 <= hour <= 17 AND NOT level IN (1, 2)"))
    '9 <= hour and hour <= 17 and not level in (1, 2)'
    """
    _demand_valid_text(text)
    root = _Parser(text).condition()
    if len(str(root)) > MAX_CHARACTERS:
        raise PolicyError(
            f"a condition is at most {MAX_CHARACTERS} characters long; written out in full this is longer."
        )
    return root


def _demand_valid_text(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise PolicyError(f"a condition is at most {MAX_CHARACTERS} characters long; this one has {len(text)}.")
    for at, letter in enumerate(text):
        if letter == "\0" or "\ud800" <= letter <= "\udfff":  # databases refuse these characters in a text
            _raise_at(at, f"character U+{ord(letter):04X} cannot be used in a condition.")


def _tokens(text: str) -> list[Token]:
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            _raise_at(at, _token_problem(text[at]))
        if match.lastgroup != "space":
            found.append(Token(str(match.lastgroup), match.group(), at))
        at = match.end()
    return [*found, Token("end", "", len(text))]


def _token_problem(letter: str) -> str:
    if letter in "'\"":
        return f"the quote {letter} is not closed, or the quotes are empty; double a quote to write it inside quotes."
    if letter.isdigit() or letter == "-":
        return "a number is digits, with a point between digits if it has decimals, such as -12 or 0.5."
    return f"expected a name, a value or a comparison, found {letter!r}; in double quotes it can be part of a name."


class _Parser:
    """A recursive descent with one method for each rule of the grammar; `depth` counts nested rules."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._position = 0

    def condition(self) -> Node:
        root = self._disjunction(0)
        if self._next.kind != "end":
            self._raise_expected("and, or, or the end")
        return root

    def _disjunction(self, depth: int) -> Node:
        parts = [self._conjunction(depth)]
        while self._take("or"):
            parts.append(self._conjunction(depth))
        return any_of(parts)

    def _conjunction(self, depth: int) -> Node:
        parts = [self._negation(depth)]
        while self._take("and"):
            parts.append(self._negation(depth))
        return all_of(parts)

    def _negation(self, depth: int) -> Node:
        if self._take("not"):
            return Not(self._negation(self._next_depth(depth)))
        if self._take("("):
            inner = self._disjunction(self._next_depth(depth))
            self._demand(")", "and, or, or a closing )")
            return inner
        return self._atom(depth)

    def _atom(self, depth: int) -> Node:
        start = self._next
        left = self._operand()
        if self._take("is"):
            missing = not self._take("not")
            self._demand("null", "null" if not missing else "null or not null")
            return NullTest(self._demand_name(left, start), missing)
        inside = not self._take("not")
        if self._take("in"):
            return SetMembership(self._demand_name(left, start), self._values(), inside)
        if not inside:
            self._raise_expected("in")
        return self._chain(left, depth)

    def _chain(self, left: Name | Value, depth: int) -> Node:
        """`a < b < c` is `a < b and b < c`; the And counts as a level of depth, as if it were written out."""
        links: list[Node] = []
        while not links or self._next.kind == "sign":
            at = self._next
            if at.kind != "sign":
                self._raise_expected("a comparison such as = or <=, in, or is null")
            self._position += 1
            right = self._operand()
            if isinstance(left, Value) and isinstance(right, Value):
                _raise_at(at.at, "two values are compared; at least one side must be a name.")
            links.append(Comparison(left, _SIGNS[at.text], right))
            left = right
        if len(links) > 1:
            self._next_depth(depth)
        return all_of(links)

    def _values(self) -> tuple[Value, ...]:
        self._demand("(", "an opening (")
        values = [self._value()]
        while self._take(","):
            values.append(self._value())
        self._demand(")", "a comma or a closing )")
        return tuple(values)

    def _value(self) -> Value:
        start = self._next
        found = self._operand()
        if isinstance(found, Name):
            _raise_at(start.at, f"expected a value, found the name {start}; write texts in single quotes.")
        return found

    def _demand_name(self, operand: Name | Value, start: Token) -> Name:
        if isinstance(operand, Value):
            _raise_at(start.at, f"expected a name, found the value {start}.")
        return operand

    def _operand(self) -> Name | Value:
        token = self._next
        word = token.text.lower() if token.kind == "word" else ""
        following = self._tokens[min(self._position + 1, len(self._tokens) - 1)]
        if word == "date" and following.kind == "text":
            self._position += 2
            return Value(_parse_date(following), "date")
        if token.kind not in ("number", "text", "quoted", "word") or word in KEYWORDS - {"true", "false", "date"}:
            self._raise_expected("a name or a value")
        self._position += 1
        if token.kind == "word":
            return Value(word == "true", "boolean") if word in ("true", "false") else Name(token.text)
        if token.kind == "number":
            return _parse_number(token)
        plain = token.text[1:-1].replace(token.text[0] * 2, token.text[0])
        return Name(plain) if token.kind == "quoted" else Value(plain, "text")

    @property
    def _next(self) -> Token:
        return self._tokens[self._position]

    def _take(self, what: str) -> bool:
        token = self._next
        found = token.kind in ("word", "mark") and token.text.lower() == what
        self._position += found
        return found

    def _demand(self, what: str, described: str) -> None:
        if not self._take(what):
            self._raise_expected(described)

    def _raise_expected(self, what: str) -> NoReturn:
        _raise_at(self._next.at, f"expected {what}, found {self._next}.")

    def _next_depth(self, depth: int) -> int:
        if depth >= MAX_DEPTH:
            _raise_at(self._next.at, f"a condition is at most {MAX_DEPTH} levels deep.")
        return depth + 1


def _parse_number(token: Token) -> Value:
    if sum(letter.isdigit() for letter in token.text) > MAX_DIGITS:
        _raise_at(token.at, f"a number has at most {MAX_DIGITS} digits.")
    return Value(Decimal(token.text), "decimal") if "." in token.text else Value(int(token.text), "integer")


def _parse_date(token: Token) -> date:
    try:
        written = re.fullmatch(r"'([0-9]{4})-([0-9]{2})-([0-9]{2})'", token.text)
        return date(*map(int, written.groups() if written else ()))
    except (TypeError, ValueError):  # not of this form; not a date of the calendar
        _raise_at(token.at, f"expected a date such as '2026-01-31', found {token}.")


def _raise_at(at: int, why: str) -> NoReturn:
    raise PolicyError(f"condition, at character {at + 1}: {why}")
