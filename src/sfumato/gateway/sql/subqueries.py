"""Compiles nested queries inside expressions: as a value, in IN, and in EXISTS."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.expressions import value
from sfumato.gateway.sql.failures import evaluate_all_rows, exists_full_scan
from sfumato.gateway.sql.kinds import demand_same_family
from sfumato.gateway.sql.names import Scope
from sfumato.gateway.sql.supported_nodes import COMPUTED, demand_only, unsupported_on_masked
from sfumato.gateway.sql.values import Doubt, Range, Scalar, Truth, Value, all_of, is_exact

if TYPE_CHECKING:
    from sfumato.gateway.sql.queries import CompiledTree

Sql = exp.Expr


def compile_subquery(node: Sql, scope: Scope) -> CompiledTree:
    """Compile a nested query, which may use the columns of the queries around it."""
    inner = node
    while isinstance(inner, exp.Subquery | exp.Paren):
        demand_only(inner, ("this",))
        inner = inner.this
    return scope.query(inner, scope)  # type: ignore[return-value]


def _single_output(compiled: CompiledTree) -> Value:
    """The only output column of a nested query."""
    if len(compiled.outputs) != 1:
        raise StatementError("a query in place of a value has one column.")
    return compiled.outputs[0].value


def scalar_subquery(node: Sql, scope: Scope) -> Value:
    """A nested query as a value.

    Unless it is an aggregate over exact rows, its NULL may mean that its row is hidden; so the value is hideable.
    """
    compiled = compile_subquery(node, scope)
    found = _single_output(compiled)
    # No row gives NULL as well, and the missing row may be a hidden one.
    doubt = Doubt.ABSENCE if compiled.doubt or not compiled.one_row else Doubt.NONE
    if isinstance(found, Scalar):
        return found.held_in(compiled.sql.subquery(copy=True)).doubted(doubt)
    if not isinstance(found, Range) or not compiled.one_row:
        raise unsupported_on_masked("a query in place of a value, other than one aggregate,")
    return replace(found, low=_part(compiled, 0), high=_part(compiled, 1), column=None).doubted(doubt)


def _part(compiled: CompiledTree, place: int) -> Sql:
    """The same query with only one of the two columns of a range."""
    query = compiled.sql.copy()
    if not isinstance(query, exp.Select):
        raise unsupported_on_masked("UNION, INTERSECT or EXCEPT in place of a value")
    query.set("expressions", [query.expressions[place]])
    return query.subquery()


def in_subquery(node: Sql, scope: Scope) -> Truth:
    """X IN (SELECT ...): certainly true where an exact value is found; never certainly false if rows may be hidden."""
    compiled, inner = compile_subquery(node.args["query"], scope), value(node.this, scope)
    found = _single_output(compiled)
    rows = evaluate_all_rows(compiled.sql, compiled.outputs[0].names) if scope.can_fail else compiled.sql
    if inner.uncertain or found.uncertain:
        raise unsupported_on_masked(COMPUTED)
    demand_same_family((inner.kind, found.kind), "IN")
    if isinstance(inner, Scalar) and isinstance(found, Scalar):
        condition = exp.In(this=inner.sql.copy(), query=rows.subquery(copy=True))
        certain = not (compiled.doubt or inner.hideable or found.hideable)
        # A value that is found is certainly there. One that is not found may belong to a row or value that is hidden.
        return Truth.of(condition) if certain else Truth(condition, None)
    if isinstance(found, Scalar):
        exact_rows: Sql = rows.copy()
    else:
        every = rows.subquery("found", copy=True)
        names = [exp.column(name, table="found", quoted=True) for name in compiled.outputs[0].names]
        exact_rows = exp.select(names[0].copy()).from_(every).where(is_exact(found.held_in(*names)))
    return Truth(all_of(is_exact(inner), exp.In(this=inner.parts[0], query=exp.paren(exact_rows))), None)


def exists_subquery(node: Sql, scope: Scope) -> Truth:
    """EXISTS (SELECT ...): never certainly false if rows may be missing."""
    inner = node.this
    while isinstance(inner, exp.Subquery | exp.Paren):
        inner = inner.this
    if not isinstance(inner, exp.Select | exp.SetOperation):
        raise StatementError("EXISTS is followed by a query in parentheses.")
    compiled = compile_subquery(node.this, scope)
    condition = exists_full_scan(compiled.sql) if scope.can_fail else exp.Exists(this=compiled.sql.copy())
    return Truth.of(condition) if not compiled.doubt else Truth(condition, None)
