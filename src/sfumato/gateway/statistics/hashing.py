"""Hashes of groups, people and records, computed by the engine that holds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from sfumato.gateway.sql.compiling import Answerable


def stable_hash(names: Sequence[str], engine: str) -> str:
    """SQL of 64 bits of columns, the same for equal values in every version of the engine.

    >>> print(stable_hash(["k"], "duckdb"))
    md5_number_lower(COALESCE(CAST(LENGTH(CAST("k" AS TEXT)) AS TEXT) || ':' || CAST("k" AS TEXT), '-'))
    """
    text = " || ".join(_framed(name, engine) for name in names)
    if engine == "duckdb":
        return f"md5_number_lower({text})"
    return f"('x' || left(md5({text}), 16))::bit(64)::bigint"


def group_hash(made: Answerable, engine: str) -> str:
    """SQL of 64 bits of the group of a row; the same for the same group in two answers of one engine."""
    names = [name for output in made.outputs if output.name.startswith("g") for name in output.names]
    return stable_hash(names, engine) if names else "CAST(0 AS BIGINT)"


def _framed(name: str, engine: str) -> str:
    """A value as a text that shows where it ends, so that ('ab', 'c') and ('a', 'bc') differ."""
    column = exp.column(name, quoted=True).sql(engine)
    return f"COALESCE(CAST(LENGTH(CAST({column} AS TEXT)) AS TEXT) || ':' || CAST({column} AS TEXT), '-')"
