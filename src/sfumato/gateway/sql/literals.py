"""Checks how numbers and texts are written: only forms that both engines read alike are accepted.

`reading` calls `demand_literals` on the tokens of every query, before it is parsed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from sfumato.errors import StatementError

MAX_DIGITS = 38
"""The number of digits of DuckDB's widest decimal."""

BIGINT_DIGITS = 18
"""An integer of this many digits always fits into a BIGINT."""

_NUMBER = re.compile(r"\.?\d+|\d+\.\d*|\.?\d+\.?\d*[eE][+-]?\d+")
_PREFIXES = {"b", "e", "n", "r", "u", "x", "&"}
_ADJACENT = re.compile(r"[\w.'\"$]")


def demand_literals(text: str, tokens: Sequence[Token]) -> None:
    """Refuse literals that the engines read differently, or that a parser splits in two.

    A parser reads `0xFF` and `12abc` as a number followed by a column name, and so does not report the mistake.
    """
    for place, token in enumerate(tokens):
        if token.token_type == TokenType.NUMBER:
            # The tokenizer may separate the point of `.5` from its digits.
            start = token.start - (text[token.start - 1 : token.start] == ".")
            _demand_decimal_number(text[start : token.end + 1], text[token.end + 1 : token.end + 2])
        elif token.token_type == TokenType.STRING and place and _is_prefix(tokens[place - 1], token):
            raise unsupported_literal()


def _is_prefix(before: Token, text: Token) -> bool:
    """Whether a token such as `e` or `x` stands directly before a text and changes how the text is read."""
    return before.end + 1 == text.start and before.text.lower() in _PREFIXES


def unsupported_literal() -> StatementError:
    """The refusal of texts and numbers in a notation that is not accepted."""
    return StatementError(
        "a text is written in plain quotes, without letters or $ before them, and a number in decimal digits."
    )


def _demand_decimal_number(number: str, after: str) -> None:
    """Refuse a number in another notation than decimal digits, or outside what a DOUBLE or DECIMAL can hold."""
    if not _NUMBER.fullmatch(number) or _ADJACENT.match(after):
        raise StatementError(
            "a number is written in decimal digits, without _, 0x, 0b or 0o, and with a space before the next word."
        )
    digits, _, exponent = number.lower().partition("e")
    significant = digits.replace(".", "").lstrip("0")
    if max(len(significant), len(digits.partition(".")[2])) > MAX_DIGITS:
        raise StatementError(f"a number has at most {MAX_DIGITS} digits; CAST a text to DOUBLE for a longer one.")
    if exponent and significant and (math.isinf(float(number)) or float(number) == 0):
        raise StatementError("a number is too large or too small for a DOUBLE.")
