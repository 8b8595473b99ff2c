"""From a question to SQL on masked relations: the one door to the compiler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.failures import may_fail
from sfumato.gateway.sql.masked import masked_relation
from sfumato.gateway.sql.names import NamedRelation, nearest_name
from sfumato.gateway.sql.outputs import Output
from sfumato.gateway.sql.queries import Compiled, Compiler
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView

Views = Callable[[str, frozenset[str] | None], PurposeView | None]
"""The view of a table by its folded name, with these of the columns that are shown only if identifiers are not, or with
all of them."""

Readable = Mapping[str, frozenset[str] | None]
"""The columns of tables that may be read; all of them where there is None, or nothing about a table."""

Place = Callable[[PurposeView], exp.Table]
"""Where the engine has the masked relation of a view."""


@dataclass(frozen=True)
class Answerable:
    """A question that can be answered: SQL on masked relations, its columns, and what it reads.

    `uncertain` says that weaker values have a part in it, so that rows may be missing which the true values would give;
    `ordered`, that the SQL itself puts rows into an order that what is seen of them decides; `can_fail`, that a value
    of some row may make it fail.
    """

    sql: str
    outputs: tuple[Output, ...]
    views: tuple[PurposeView, ...]
    read: dict[str, tuple[str, ...]]
    uncertain: bool
    ordered: bool
    can_fail: bool


def here(view: PurposeView) -> exp.Table:
    """A masked relation by its bare name."""
    return exp.Table(this=exp.to_identifier(view.name, quoted=True))


def compile_question(
    tree: exp.Expr,
    engine: str,
    views: Views,
    tables: tuple[str, ...],
    place: Place = here,
    readable: Readable | None = None,
) -> Answerable:
    """Compile a question on the tables of these names.

    It is compiled again where some columns are shown only without identifiers, once it is known whether it reads them,
    and where something in it could fail, so that it must look at all rows.
    """
    compiled = partial(_compiled, tree, engine, views, tables, place, readable or {})
    meant: dict[str, frozenset[str]] | None = None
    made, compiler = compiled(meant)
    linking = {view.table: view.referencing for view in _views(compiler) if view.referencing}
    if linking:
        read = _read(compiler)
        named = str if engine == "postgres" else str.lower  # as a question names a table, so it is asked for
        meant = {named(table): columns & frozenset(read[table]) for table, columns in linking.items()}
        made, compiler = compiled(meant)
    can_fail = may_fail(made.sql, _types(compiler), engine)
    if can_fail:
        made, compiler = compiled(meant, can_fail=True)
    try:
        text = made.sql.sql(dialect=engine, identify=True)
    except RecursionError:
        raise StatementError("the question is nested too deeply.") from None
    return Answerable(text, made.outputs, _views(compiler), _read(compiler), made.uncertain, made.ordered, can_fail)


def _compiled(
    tree: exp.Expr,
    engine: str,
    views: Views,
    tables: tuple[str, ...],
    place: Place,
    readable: Readable,
    meant: dict[str, frozenset[str]] | None,
    *,
    can_fail: bool = False,
) -> tuple[Compiled, Compiler]:
    def table(name: str) -> NamedRelation:
        view = views(name, None if meant is None else meant.get(name, frozenset()))
        if view is None:
            raise StatementError(f"there is no table {name!r}; {nearest_name(name, tables, engine)}")
        return masked_relation(view, engine, place(view), readable.get(view.table))

    compiler = Compiler(engine, table, can_fail=can_fail)
    try:
        return compiler.query(tree, None, last=True), compiler
    except RecursionError:
        raise StatementError("the question is nested too deeply.") from None


def _views(compiler: Compiler) -> tuple[PurposeView, ...]:
    found = {relation.view.name: relation.view for relation in compiler.relations if relation.view is not None}
    return tuple(found.values())


def _types(compiler: Compiler) -> list[ColumnType]:
    """The types of the columns that are read."""
    return [
        relation.view.by_name[relation.own_names[name]].type
        for relation in compiler.relations
        if relation.view is not None
        for name in relation.read
    ]


def _read(compiler: Compiler) -> dict[str, tuple[str, ...]]:
    """The columns that are read of every table, by the table's own names."""
    found: dict[str, set[str]] = {}
    for relation in compiler.relations:
        view = relation.view
        if view is not None:
            found.setdefault(view.table, set()).update(relation.own_names[name] for name in relation.read)
    return {table: tuple(sorted(names)) for table, names in found.items()}
