"""The SQL dialects of both engines, as sqlglot reads them, with the gateway's adjustments."""

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
"""Marks a join that is written as a comma; sqlglot represents a JOIN without ON the same way."""

_ENGINES = {"duckdb", "postgres"}
_per_thread = threading.local()
"""Tokenizers are kept per thread: a tokenizer holds the text that it reads."""


@lru_cache
def dialect(engine: str) -> sqlglot.Dialect:
    """The dialect of an engine; NULL sorts last on every engine unless a query says otherwise."""
    if engine not in _ENGINES:
        raise StatementError(f"there is no engine {engine!r}.")
    found = type(sqlglot.Dialect.get_or_raise(engine))()
    found.NULL_ORDERING = "nulls_are_last"
    found.parser_class = _with_marked_commas(found.parser_class)
    return found


def tokenizer(engine: str) -> Tokenizer:
    """The tokenizer of this thread: it holds the text that it reads, so two threads must not share one."""
    tokenizers: dict[str, Tokenizer] = _per_thread.__dict__.setdefault("tokenizers", {})
    if engine not in tokenizers:
        tokenizers[engine] = dialect(engine).tokenizer()
    return tokenizers[engine]


def _with_marked_commas(parser: Any) -> Any:
    """A subclass of the engine's parser that marks joins written as commas."""

    class CommaMarkingParser(parser):  # type: ignore[misc]
        """The engine's parser; it marks joins that are written as commas."""

        def _parse_join(self, *given: Any, **named: Any) -> exp.Join | None:
            comma = self._curr is not None and self._curr.token_type == TokenType.COMMA
            found: exp.Join | None = super()._parse_join(*given, **named)
            if found is not None and comma:
                found.meta[COMMA] = True
            return found

    return CommaMarkingParser
