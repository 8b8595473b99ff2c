"""Questions inside questions: a value, a list to look in, whether there is a row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.expressions import value
from sfumato.gateway.sql.failures import any_row, looked_through
from sfumato.gateway.sql.kinds import demand_alike
from sfumato.gateway.sql.names import Scope
from sfumato.gateway.sql.supported_nodes import demand_only, no_weaker
from sfumato.gateway.sql.values import Plain, Range, Truth, Value, Weak, all_of, exactly

if TYPE_CHECKING:
    from sfumato.gateway.sql.queries import Compiled

Sql = exp.Expr


def compiled(node: Sql, scope: Scope) -> Compiled:
    """A question inside another one, whose columns it may use."""
    inner = node
    while isinstance(inner, exp.Subquery | exp.Paren):
        demand_only(inner, ("this",))
        inner = inner.this
    return scope.query(inner, scope)  # type: ignore[return-value]


def _only(made: Compiled) -> Value:
    if len(made.outputs) != 1:
        raise StatementError("a question in place of a value has one column.")
    return made.outputs[0].value


def scalar(node: Sql, scope: Scope) -> Value:
    """A question in place of a value."""
    made = compiled(node, scope)
    found = _only(made)
    if made.uncertain:
        scope.doubt()
    if isinstance(found, Plain):
        hideable = found.hideable or made.uncertain or not made.one_row
        return replace(found, sql=made.sql.subquery(copy=True), hideable=hideable)
    if not isinstance(found, Range) or not made.one_row:
        raise no_weaker("a question in place of a value, other than one aggregate,")
    low, high = (_part(made, place) for place in (0, 1))
    return Range(low, high, found.kind)


def _part(made: Compiled, place: int) -> Sql:
    """The same question with one of its two columns."""
    asked = made.sql.copy()
    if not isinstance(asked, exp.Select):
        raise no_weaker("a question of several parts in place of a value")
    asked.set("expressions", [asked.expressions[place]])
    return asked.subquery()


def found_in(node: Sql, scope: Scope) -> Truth:
    """X IN (SELECT ...)."""
    made, inner = compiled(node.args["query"], scope), value(node.this, scope)
    found = _only(made)
    rows = looked_through(made.sql, made.outputs[0].names) if scope.can_fail else made.sql
    if "uncertain" in (inner.kind, found.kind):
        raise no_weaker("IN of a condition's answer")
    demand_alike((inner.kind, found.kind), "IN")
    if isinstance(inner, Plain) and isinstance(found, Plain):
        looked = exp.In(this=inner.sql.copy(), query=rows.subquery(copy=True))
        certain = not (made.uncertain or inner.hideable or found.hideable)
        return Truth.of(looked) if certain else Truth(looked, None)
    if isinstance(found, Plain):
        known: Sql = rows.copy()
    else:
        every = rows.subquery("found", copy=True)
        names = [exp.column(name, table="found", quoted=True) for name in made.outputs[0].names]
        shape = Range(names[0], names[1]) if isinstance(found, Range) else Weak(names[0], names[1], found.hideable)
        known = exp.select(names[0].copy()).from_(every).where(exactly(shape))
    return Truth(all_of(exactly(inner), exp.In(this=inner.parts[0], query=exp.paren(known))), None)


def any_found(node: Sql, scope: Scope) -> Truth:
    """EXISTS (SELECT ...)."""
    inner = node.this
    while isinstance(inner, exp.Subquery | exp.Paren):
        inner = inner.this
    if not isinstance(inner, exp.Select | exp.SetOperation):
        raise StatementError("EXISTS is followed by a question in parentheses.")
    made = compiled(node.this, scope)
    looked = any_row(made.sql) if scope.can_fail else exp.Exists(this=made.sql.copy())
    return Truth.of(looked) if not made.uncertain else Truth(looked, None)
