"""What the answers with and without noise know of a query for aggregates, beside the query itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sfumato.gateway.sql.compiling import CompiledQuery

if TYPE_CHECKING:
    import pyarrow as pa

Compile = Callable[[exp.Expr], CompiledQuery]
"""Compiles a parsed query."""

Ask = Callable[[str], "pa.Table"]
"""Runs SQL at the source."""


@dataclass(frozen=True, kw_only=True)
class QueryContext:
    """Who asks for aggregates, on which day, and how to compile and run the parts of the query.

    `ledger_name` is the name of the data in their ledger; `parameters` are the values of the query's parameters.
    `compile` allows only the columns of the permission. `compile_all` allows all, because auditing needs the key and
    all columns that are open to selection.
    """

    accounts: tuple[str, ...]
    ledger_name: str
    purpose: str
    day: date
    engine: str
    parameters: tuple[Any, ...] = field(repr=False)
    compile: Compile
    compile_all: Compile
    ask: Ask
