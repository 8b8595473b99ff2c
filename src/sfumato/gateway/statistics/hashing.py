"""SQL for hashes of groups, people and records, computed by the engine that holds them.

Exact statistics identify records by these hashes, so that keys never leave the engine.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.gateway.sql.values import Scalar, WeakerText

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.gateway.sql.compiling import CompiledQuery
    from sfumato.gateway.sql.outputs import Output


def stable_hash(made: CompiledQuery, names: Collection[str], engine: str) -> str:
    """SQL for a 64-bit hash of columns of an answer; equal values give equal hashes in every version of the engine."""
    outputs = [output for output in made.outputs if output.name in names]
    return hash_of_columns([pair for output in outputs for pair in _columns(output)], engine)


def group_hash(made: CompiledQuery, engine: str) -> str:
    """SQL for a 64-bit hash of a row's group; the same group has the same hash in two answers of one engine."""
    names = [output.name for output in made.outputs if output.name.startswith("g")]
    return stable_hash(made, names, engine) if names else "CAST(0 AS BIGINT)"


def hash_of_columns(columns: Collection[tuple[str, str]], engine: str) -> str:
    """SQL for a 64-bit hash of columns, each given with its kind.

    >>> print(hash_of_columns([("k", "integer")], "duckdb"))
    md5_number_lower(COALESCE(CAST(LENGTH(CAST("k" AS TEXT)) AS TEXT) || ':' || CAST("k" AS TEXT), '-'))
    """
    text = " || ".join(_with_length(_normalized(name, kind, engine)) for name, kind in columns)
    if engine == "duckdb":
        return f"md5_number_lower({text})"
    return f"('x' || left(md5({text}), 16))::bit(64)::bigint"


def unsigned_hashes(rows: pa.Table, name: str) -> NDArray[np.uint64]:
    """A column of hashes as unsigned integers; PostgreSQL returns signed ones."""
    column = rows.column(name)
    signed = str(column.type) == "int64"
    hashes: NDArray[np.uint64] = column.to_numpy().astype(np.int64 if signed else np.uint64).view(np.uint64)
    return hashes


def _columns(output: Output) -> list[tuple[str, str]]:
    """The flat columns of an output, each with its kind."""
    value = output.value
    kinds = (value.sorts_as,) if isinstance(value, Scalar) else (value.kind,) * 2
    return list(zip(output.names, ("text", "boolean") if isinstance(value, WeakerText) else kinds, strict=True))


def _normalized(name: str, kind: str, engine: str) -> str:
    """A value in one text form: engines treat 0 and -0 as equal, DuckDB NaN and -NaN, and PostgreSQL 1.0 and 1.00."""
    column = exp.column(name, quoted=True).sql(engine)
    if kind == "float":
        # Adding 0.0 turns -0.0 into 0.0 and changes no other number.
        number = f"({column} + 0.0)"
        return f"CASE WHEN isnan({column}) THEN 'NaN' ELSE {number} END" if engine == "duckdb" else number
    if kind in ("decimal", "number") and engine == "postgres":
        return f"trim_scale(CAST({column} AS NUMERIC))"
    return column


def _with_length(value: str) -> str:
    """A value as text with its length in front, so that ('ab', 'c') and ('a', 'bc') differ."""
    return f"COALESCE(CAST(LENGTH(CAST({value} AS TEXT)) AS TEXT) || ':' || CAST({value} AS TEXT), '-')"
