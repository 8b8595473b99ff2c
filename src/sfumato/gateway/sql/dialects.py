"""The SQL dialects of both engines, as sqlglot reads them, with the gateway's adjustments."""

from __future__ import annotations

import threading
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.tokens import Tokenizer

from sfumato.errors import StatementError

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
    return found


def tokenizer(engine: str) -> Tokenizer:
    """The tokenizer of this thread: it holds the text that it reads, so two threads must not share one."""
    tokenizers: dict[str, Tokenizer] = _per_thread.__dict__.setdefault("tokenizers", {})
    if engine not in tokenizers:
        tokenizers[engine] = dialect(engine).tokenizer()
    return tokenizers[engine]


def is_comma(join: exp.Join) -> bool:
    """Whether a join is written as a comma: only such a join has no key beside its relation, not even an empty one."""
    return join.args.keys() == {"this"}
