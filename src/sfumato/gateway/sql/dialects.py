"""The SQL of either engine as it is read here."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.tokenizer_core import TokenType
from sqlglot.tokens import Tokenizer

from sfumato.errors import StatementError

COMMA = "sfumato.comma"
"""What a join is marked with that is written as a comma; sqlglot itself takes a JOIN without ON for the same."""

_SPEAKS = {"duckdb", "postgres"}
_own = threading.local()


@lru_cache
def dialect(engine: str) -> sqlglot.Dialect:
    """The engine's SQL; what is missing is sorted last, unless a question says otherwise, on every engine."""
    if engine not in _SPEAKS:
        raise StatementError(f"there is no engine {engine!r}.")
    found = type(sqlglot.Dialect.get_or_raise(engine))()
    found.NULL_ORDERING = "nulls_are_last"
    found.parser_class = _marking_commas(found.parser_class)
    return found


def tokenizer(engine: str) -> Tokenizer:
    """One for every thread: it keeps the text that it is reading, and would mix up two of them."""
    kept: dict[str, Tokenizer] = _own.__dict__.setdefault("tokenizers", {})
    if engine not in kept:
        kept[engine] = dialect(engine).tokenizer()
    return kept[engine]


def _marking_commas(parser: Any) -> Any:
    class Marking(parser):  # type: ignore[misc]
        """The engine's parser; it marks joins that are commas."""

        def _parse_join(self, *given: Any, **named: Any) -> exp.Join | None:
            comma = self._curr is not None and self._curr.token_type == TokenType.COMMA
            found: exp.Join | None = super()._parse_join(*given, **named)
            if found is not None and comma:
                found.meta[COMMA] = True
            return found

    return Marking
