"""The entry point of the compiler: from a parsed query to SQL text on masked relations.

`gateway.py` calls `compile_query` for every query, and `statistics` for the queries that evaluate an aggregate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.failures import may_fail
from sfumato.gateway.sql.masked_relations import masked_relation
from sfumato.gateway.sql.names import NamedRelation, name_hint
from sfumato.gateway.sql.outputs import Output
from sfumato.gateway.sql.queries import CompiledTree, Compiler
from sfumato.gateway.sql.values import Doubt
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView

Views = Callable[[str, frozenset[str] | None], PurposeView | None]
"""Returns the view of a table by its folded name.

The second argument is the set of referencing columns that the query reads, or None for all of them. A referencing
column is shown only if the identifiers of its rows are hidden, so a query that reads one gets another view of the
table.
"""

Readable = Mapping[str, frozenset[str] | None]
"""The columns that may be read, by table; None, or no entry, means all columns of the table."""

StoredTable = Callable[[PurposeView], exp.Table]
"""Returns the table under which the engine holds the masked relation of a view."""


@dataclass(frozen=True)
class CompiledQuery:
    """A query that can be executed: SQL on masked relations, its output columns, and what it reads.

    `columns_read` are the columns read by table. `uncertain` says that hidden or weaker values take part, so that rows
    may be missing which the true values would give; `ordered`, that the SQL itself sorts rows by visible values alone;
    `can_fail`, that a value of some row may make the query fail.
    """

    sql: str
    outputs: tuple[Output, ...]
    views: tuple[PurposeView, ...]
    columns_read: dict[str, tuple[str, ...]]
    uncertain: bool
    ordered: bool
    can_fail: bool


def unqualified_table(view: PurposeView) -> exp.Table:
    """A masked relation by its bare name."""
    return exp.Table(this=exp.to_identifier(view.name, quoted=True))


def compile_query(
    tree: exp.Expr,
    engine: str,
    views: Views,
    tables: tuple[str, ...],
    stored_table: StoredTable = unqualified_table,
    readable: Readable | None = None,
) -> CompiledQuery:
    """Compile a query on the tables of these names.

    It is compiled a second time if some columns are shown only without identifiers, because only a compiled query tells
    which columns it reads; and again if some row could make it fail, so that it must evaluate all rows.
    """
    compile_tree = partial(_compile, tree, engine, views, tables, stored_table, readable or {})
    referencing_columns: dict[str, frozenset[str]] | None = None
    compiled, compiler = compile_tree(referencing_columns)
    referencing = {view.table: view.referencing for view in _views(compiler) if view.referencing}
    if referencing:
        read = _columns_read(compiler)
        # Views are looked up by the folded name of a table, as a query writes it.
        fold = str if engine == "postgres" else str.lower
        referencing_columns = {fold(table): columns & frozenset(read[table]) for table, columns in referencing.items()}
        compiled, compiler = compile_tree(referencing_columns)
    # Decided on the compiled tree: compiling adds casts and conditions, and removes what cannot fail.
    can_fail = may_fail(compiled.sql, _types(compiler), engine)
    if can_fail:
        compiled, compiler = compile_tree(referencing_columns, can_fail=True)
    try:
        text = compiled.sql.sql(dialect=engine, identify=True, copy=False)
    except RecursionError:
        raise StatementError("the query is nested too deeply.") from None
    return CompiledQuery(
        text,
        compiled.outputs,
        _views(compiler),
        _columns_read(compiler),
        compiled.doubt > Doubt.NONE,
        compiled.ordered,
        can_fail,
    )


def _compile(
    tree: exp.Expr,
    engine: str,
    views: Views,
    tables: tuple[str, ...],
    stored_table: StoredTable,
    readable: Readable,
    referencing_columns: dict[str, frozenset[str]] | None,
    *,
    can_fail: bool = False,
) -> tuple[CompiledTree, Compiler]:
    """Compile the tree once; returns the result and the compiler, which knows the relations that it read."""

    def table(name: str) -> NamedRelation:
        view = views(name, None if referencing_columns is None else referencing_columns.get(name, frozenset()))
        if view is None:
            raise StatementError(f"there is no table {name!r}; {name_hint(name, tables, engine)}")
        return masked_relation(view, engine, stored_table(view), readable.get(view.table))

    compiler = Compiler(engine, table, can_fail=can_fail)
    try:
        return compiler.query(tree, None, outermost=True), compiler
    except RecursionError:
        raise StatementError("the query is nested too deeply.") from None


def _views(compiler: Compiler) -> tuple[PurposeView, ...]:
    """The views that a compiled query reads, each once."""
    found = {relation.view.name: relation.view for relation in compiler.relations if relation.view is not None}
    return tuple(found.values())


def _types(compiler: Compiler) -> list[ColumnType]:
    """The types of the columns that are read."""
    return [
        relation.view.by_name[relation.own_names[name]].type
        for relation in compiler.relations
        if relation.view is not None
        for name in relation.columns_read
    ]


def _columns_read(compiler: Compiler) -> dict[str, tuple[str, ...]]:
    """The columns read of every table, by the names that the table itself uses."""
    found: dict[str, set[str]] = {}
    for relation in compiler.relations:
        view = relation.view
        if view is not None:
            found.setdefault(view.table, set()).update(relation.own_names[name] for name in relation.columns_read)
    return {table: tuple(sorted(names)) for table, names in found.items()}
