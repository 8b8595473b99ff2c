"""Numbers and texts as they are written in a question: in ways that mean the same on every engine."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from sfumato.errors import StatementError

MOST_DIGITS = 38
"""As many as the widest decimal of DuckDB has."""

WHOLE_DIGITS = 18
"""A whole number of so many digits fits into a BIGINT."""

_WRITTEN = re.compile(r"\.?\d+|\d+\.\d*|\.?\d+\.?\d*[eE][+-]?\d+")
_PREFIXES = {"b", "e", "n", "r", "u", "x", "&"}
_CLOSE = re.compile(r"[\w.'\"$]")


def demand_literals(text: str, tokens: Sequence[Token]) -> None:
    """Refuse what one engine reads as something else than the other, or as a number and a name.

    A parser takes `0xFF` and `12abc` for a number and the name of a column, and so does not see the mistake.
    """
    for place, token in enumerate(tokens):
        if token.token_type == TokenType.NUMBER:
            start = token.start - (text[token.start - 1 : token.start] == ".")
            _demand_plain(text[start : token.end + 1], text[token.end + 1 : token.end + 2])
        elif token.token_type == TokenType.STRING and place and _is_prefix(tokens[place - 1], token):
            raise odd_literal()


def _is_prefix(before: Token, text: Token) -> bool:
    return before.end + 1 == text.start and before.text.lower() in _PREFIXES


def odd_literal() -> StatementError:
    """The refusal of texts and numbers that are written in another way."""
    return StatementError(
        "a text is written in plain quotes, without letters or $ before them, and a number in decimal digits."
    )


def _demand_plain(number: str, after: str) -> None:
    if not _WRITTEN.fullmatch(number) or _CLOSE.match(after):
        raise StatementError(
            "a number is written in decimal digits, without _, 0x, 0b or 0o, and apart from the word after it."
        )
    digits, _, exponent = number.lower().partition("e")
    known = digits.replace(".", "").lstrip("0")
    if max(len(known), len(digits.partition(".")[2])) > MOST_DIGITS:
        raise StatementError(f"a number has at most {MOST_DIGITS} digits; CAST a text to DOUBLE for one that has more.")
    if exponent and known and (math.isinf(float(number)) or float(number) == 0):
        raise StatementError("a number is too large or too small for a DOUBLE.")
