"""Takes whole numbers that rows are compared with out of a question, so that its likes are read and compiled once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sqlglot.tokenizer_core import Token, TokenType

from sfumato.errors import StatementError
from sfumato.gateway.sql.reading import LONGEST, tokens_of

_COMPARING = {TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE}
_AFTER = {TokenType.AND, TokenType.OR, TokenType.R_PAREN, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.LIMIT}
_NAMES = {TokenType.VAR, TokenType.IDENTIFIER}
_CLAUSES = {
    TokenType.SELECT, TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY,
    TokenType.LIMIT, TokenType.QUALIFY, TokenType.WINDOW, TokenType.ON, TokenType.CASE, TokenType.OFFSET,
}  # fmt: skip
_AROUND = {None, TokenType.FROM, TokenType.WHERE}
_PURPOSE = ["FOR", "PURPOSE"]
_LIKELY = re.compile(r"[=<>]\s*[0-9]")
_MOST_DIGITS = 18
"""More may not fit into a whole number of the engines, and would be another type."""


def lifted(text: str, parameters: Sequence[Any], engine: str) -> tuple[str, tuple[Any, ...]]:
    """The same question with a parameter for every whole number that a column is compared with in WHERE.

    A whole number is of the same type as a parameter as it is in a text; texts and fractions are not, which take the
    type of what they are compared with. Elsewhere a number may mean something else, such as a column by its place.

    >>> lifted("SELECT name FROM customer WHERE id = 7 AND city = ? LIMIT 5", ["Rome"], "duckdb")
    ('SELECT name FROM customer WHERE id =  ?  AND city = ? LIMIT 5', (7, 'Rome'))
    """
    if len(text) > LONGEST or not _LIKELY.search(text):
        return text, tuple(parameters)
    try:
        tokens = tokens_of(text, engine)
    except StatementError:  # it is refused where it is read
        return text, tuple(parameters)
    asked = [token for token in tokens if token.token_type in (TokenType.PLACEHOLDER, TokenType.PARAMETER)]
    places = _places(tokens)
    if not places or len(asked) != len(parameters) or any(token.text != "?" for token in asked):
        return text, tuple(parameters)
    return _without(text, tokens, places, parameters)


def _places(tokens: Sequence[Token]) -> set[int]:
    """Where numbers stand that can be lifted: in WHERE, of the question or of one inside its FROM or WHERE."""
    found: set[int] = set()
    clauses: list[TokenType | None] = [None]
    for place, token in enumerate(tokens):
        kind = token.token_type
        if kind is TokenType.L_PAREN:
            clauses.append(clauses[-1])
        elif kind is TokenType.R_PAREN and len(clauses) > 1:
            clauses.pop()
        elif kind in _CLAUSES:
            clauses[-1] = kind
        elif clauses[-1] is TokenType.WHERE and set(clauses) <= _AROUND and _is_compared(tokens, place):
            found.add(place)
    return found


def _is_compared(tokens: Sequence[Token], place: int) -> bool:
    """Whether it is a whole number, and all that a column is compared with."""
    number = tokens[place].text
    if tokens[place].token_type is not TokenType.NUMBER or place < 2:
        return False
    if not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS):
        return False
    before, name = tokens[place - 1].token_type, tokens[place - 2].token_type
    after = tokens[place + 1].token_type if place + 1 < len(tokens) else None
    ends = after is None or after in _AFTER or [one.text.upper() for one in tokens[place + 1 : place + 3]] == _PURPOSE
    return before in _COMPARING and name in _NAMES and ends


def _without(
    text: str, tokens: Sequence[Token], places: set[int], parameters: Sequence[Any]
) -> tuple[str, tuple[Any, ...]]:
    given, values = iter(parameters), []
    parts, at = [], 0
    for place, token in enumerate(tokens):
        if place in places:
            parts.append(f"{text[at : token.start]} ? ")
            at = token.end + 1
            values.append(int(token.text))
        elif token.token_type is TokenType.PLACEHOLDER:
            values.append(next(given))
    return "".join(parts) + text[at:], tuple(values)
