"""Replaces integer literals by parameters so that similar queries share one compiled plan.

The gateway calls this before it parses a query: parsing and compiling are cached by the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sqlglot.tokenizer_core import Token, TokenType

from sfumato.errors import StatementError
from sfumato.gateway.sql.reading import MAX_CHARACTERS, tokens_of

_COMPARISONS = {TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE}
_MAY_FOLLOW = {TokenType.AND, TokenType.OR, TokenType.R_PAREN, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.LIMIT}
_NAMES = {TokenType.VAR, TokenType.IDENTIFIER}
_CLAUSES = {
    TokenType.SELECT, TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY,
    TokenType.LIMIT, TokenType.QUALIFY, TokenType.WINDOW, TokenType.ON, TokenType.CASE, TokenType.OFFSET,
}  # fmt: skip
_ENCLOSING = {None, TokenType.FROM, TokenType.WHERE}
_PURPOSE_WORDS = ["FOR", "PURPOSE"]
_CANDIDATE = re.compile(r"[=<>]\s*[0-9]")
_MAX_DIGITS = 18
"""A longer integer may not fit into a BIGINT, and would be of another type than the parameter."""


def parameterize_literals(text: str, parameters: Sequence[Any], engine: str) -> tuple[str, tuple[Any, ...]]:
    """The same query with a parameter for every integer literal that a column is compared with in WHERE.

    Returns the new text and all parameter values in order; the text stays as it is if nothing can be replaced safely.

    Only integers are replaced: an integer parameter has the same type as an integer literal, while texts and fractions
    take the type of what they are compared with. Only WHERE is searched: elsewhere a number may mean something else,
    such as the position of a column in ORDER BY.

    >>> parameterize_literals("SELECT name FROM customer WHERE id = 7 AND city = ? LIMIT 5", ["Rome"], "duckdb")
    ('SELECT name FROM customer WHERE id =  ?  AND city = ? LIMIT 5', (7, 'Rome'))
    """
    if len(text) > MAX_CHARACTERS or not _CANDIDATE.search(text):
        return text, tuple(parameters)
    try:
        tokens = tokens_of(text, engine)
    except StatementError:  # the parser refuses it with the proper message
        return text, tuple(parameters)
    placeholders = [token for token in tokens if token.token_type in (TokenType.PLACEHOLDER, TokenType.PARAMETER)]
    positions = _literal_positions(tokens)
    if not positions or len(placeholders) != len(parameters) or any(token.text != "?" for token in placeholders):
        return text, tuple(parameters)
    return _replace_literals(text, tokens, positions, parameters)


def _literal_positions(tokens: Sequence[Token]) -> set[int]:
    """Token positions of replaceable literals, in WHERE of the query or of a query nested in its FROM or WHERE."""
    found: set[int] = set()
    clauses: list[TokenType | None] = [None]
    for position, token in enumerate(tokens):
        kind = token.token_type
        if kind is TokenType.L_PAREN:
            # The stack holds the current clause of each open parenthesis. A parenthesis starts in the clause around
            # it; a nested query then sets its own clauses.
            clauses.append(clauses[-1])
        elif kind is TokenType.R_PAREN and len(clauses) > 1:
            clauses.pop()
        elif kind in _CLAUSES:
            clauses[-1] = kind
        # All clauses around must be harmless too: a WHERE nested in SELECT or HAVING is left alone.
        elif clauses[-1] is TokenType.WHERE and set(clauses) <= _ENCLOSING and _is_compared_literal(tokens, position):
            found.add(position)
    return found


def _is_compared_literal(tokens: Sequence[Token], position: int) -> bool:
    """Whether the token is an integer literal that alone forms one side of a comparison with a column."""
    number = tokens[position].text
    if tokens[position].token_type is not TokenType.NUMBER or position < 2:
        return False
    if not (number.isascii() and number.isdigit() and len(number) <= _MAX_DIGITS):
        return False
    before, name = tokens[position - 1].token_type, tokens[position - 2].token_type
    after = tokens[position + 1].token_type if position + 1 < len(tokens) else None
    ends = (
        after is None
        or after in _MAY_FOLLOW
        or [one.text.upper() for one in tokens[position + 1 : position + 3]] == _PURPOSE_WORDS
    )
    return before in _COMPARISONS and name in _NAMES and ends


def _replace_literals(
    text: str, tokens: Sequence[Token], positions: set[int], parameters: Sequence[Any]
) -> tuple[str, tuple[Any, ...]]:
    """The text with `?` at these positions, and the values of all parameters in the order of the new text."""
    remaining, values = iter(parameters), []
    parts, copied_to = [], 0
    for position, token in enumerate(tokens):
        if position in positions:
            parts.append(f"{text[copied_to : token.start]} ? ")
            copied_to = token.end + 1
            values.append(int(token.text))
        elif token.token_type is TokenType.PLACEHOLDER:
            # Given parameters and new ones are interleaved in the order of the text, because `?` has no number.
            values.append(next(remaining))
    return "".join(parts) + text[copied_to:], tuple(values)
