"""Evaluates the outer part of an exact query for aggregates: everything around them, on the measured numbers alone."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from sfumato.errors import SfumatoError, StatementError
from sfumato.gateway.answers.row_order import sorted_by_values
from sfumato.gateway.engines.failure_messages import error_for, failure_kind
from sfumato.gateway.sql.compiling import CompiledQuery
from sfumato.gateway.sql.outputs import NamedQuery, Output
from sfumato.gateway.sql.queries import Compiler
from sfumato.gateway.statistics.aggregate_queries import ANSWERED, AggregateQuery

if TYPE_CHECKING:
    import pyarrow as pa

_SETTINGS: dict[str, Any] = {
    "enable_external_access": "false",
    "python_enable_replacements": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "temp_directory": "",
    "threads": 1,
}
"""Settings of the in-process DuckDB that evaluates the outer part of a query."""


def evaluate_outer(
    query: AggregateQuery, measured: CompiledQuery, numbers: pa.Table
) -> tuple[pa.Table, tuple[Output, ...]]:
    """Evaluate the outer part of the query on the measured numbers.

    It runs in an in-process DuckDB, on a connection that sees these numbers and nothing else.
    """
    import duckdb

    compiler = Compiler("duckdb", _no_table)
    outer = compiler.query(query.outer, None, {ANSWERED: NamedQuery(measured.outputs)}, outermost=True)
    names = [item.alias for item in query.outer.expressions]
    outputs = tuple(replace(output, name=name) for output, name in zip(outer.outputs, names, strict=True))
    # Each query has its own cursor: a registered relation is visible only to the cursor that registered it.
    con = _instance().cursor()
    failure: SfumatoError | None = None
    try:
        hash_columns = [name for name in numbers.column_names if name.startswith("hash_sum")]
        con.register(ANSWERED, numbers.drop_columns(["of_group", "n", *hash_columns]))
        flat = con.sql(outer.sql.sql("duckdb", identify=True)).to_arrow_table()
        return flat if outer.ordered else sorted_by_values(flat), outputs
    except duckdb.Error as error:
        failure = error_for(failure_kind(error))
    finally:
        con.close()
    raise failure  # outside the except block, so that the engine's message is not its context


@cache
def _instance() -> Any:
    """The in-process DuckDB, which holds no data; starting one takes longer than most outer parts."""
    import duckdb

    return duckdb.connect(":memory:", config=_SETTINGS)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_instance.cache_clear)  # a forked process that closed it would crash


def _no_table(name: str) -> Any:
    raise StatementError(f"there is no table {name!r} here.")
