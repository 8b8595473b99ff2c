"""Aggregates: of ranges they give ranges, and of hidden values nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.expressions import ordered, value
from sfumato.gateway.sql.kinds import demand_family
from sfumato.gateway.sql.names import Scope
from sfumato.gateway.sql.placement import demand_no_windows, demand_of_rows
from sfumato.gateway.sql.understood import demand_only, no_weaker, not_understood
from sfumato.gateway.sql.values import Plain, Range, Value, Weak, likeliest

Sql = exp.Expr

AGGREGATES: dict[type[Sql], str] = {
    exp.Count: "integer",
    exp.Sum: "",
    exp.Avg: "float",
    exp.Min: "",
    exp.Max: "",
    exp.Stddev: "float",
    exp.StddevSamp: "float",
    exp.StddevPop: "float",
    exp.Variance: "float",
    exp.VariancePop: "float",
    exp.LogicalAnd: "boolean",
    exp.LogicalOr: "boolean",
}
"""What is understood as an aggregate, and the kind of its value; of its argument where none is said."""

_RANGES = (exp.Sum, exp.Avg, exp.Min, exp.Max)
_NARROW = {"tinyint", "smallint", "integer", "utinyint", "usmallint", "uinteger"}
"""Types of which no sum leaves the range of whole numbers that a DOUBLE holds exactly, or only with far more rows."""


def aggregated(node: Sql, scope: Scope, *, alone: bool = True, over: bool = False) -> Value:
    """An aggregate over rows or groups; not `alone` where FILTER or OVER follows it, `over` where it is OVER."""
    scope.aggregates = scope.aggregates or not over
    if over and isinstance(node.this, exp.Distinct):
        raise StatementError("an aggregate OVER a window has no DISTINCT.")
    if isinstance(node, exp.Count):
        return _counted(node, scope, over=over)
    demand_only(node, ("this",))
    distinct = isinstance(node.this, exp.Distinct)
    inner = _argument(node, scope, over=over)
    if isinstance(inner, Range):
        if distinct or not isinstance(node, _RANGES):
            raise no_weaker(f"{node.key.upper()}{' DISTINCT' if distinct else ''}")
        return _range_of(type(node), inner, alone=alone)
    if isinstance(inner, Weak):
        raise no_weaker(node.key.upper())
    return _plain_of(node, inner, distinct, scope)


def _range_of(kind: type[Sql], inner: Range, *, alone: bool) -> Range:
    if kind in (exp.Sum, exp.Avg):
        demand_family((inner.kind,), "number", kind.key.upper())
    if kind is exp.Avg and alone and inner.column is not None and inner.column.type.name.lower() in _NARROW:
        low, high = (_average(bound, inner.low) for bound in inner.parts)
        return Range(low, high, "float")
    low, high = (_over_numbers(kind, bound) for bound in inner.parts)
    return Range(low, high, "float" if kind is exp.Avg else inner.kind)


def _plain_of(node: Sql, inner: Plain, distinct: bool, scope: Scope) -> Plain:
    kind = AGGREGATES[type(node)] or inner.kind
    if isinstance(node, exp.Min | exp.Max):
        if inner.kind == "boolean":
            raise StatementError("the least and largest of conditions are bool_and and bool_or.")
        return Plain(type(node)(this=ordered(inner, scope)), kind, inner.hideable, inner.under)
    demand_family((inner.kind,), "boolean" if kind == "boolean" else "number", node.key.upper())
    argument: Sql = inner.sql.copy()
    if isinstance(node, exp.Sum | exp.LogicalAnd | exp.LogicalOr):
        made: Sql = argument
    else:
        made = exp.cast(argument, "double")
    return Plain(type(node)(this=exp.Distinct(expressions=[made]) if distinct else made), kind, inner.hideable)


def _average(bound: Sql, low: Sql) -> Sql:
    """The same as a sum by how many there are: exact, and several times as fast. Both bounds are there, or neither."""
    total, number = exp.Sum(this=bound), exp.Count(this=low.copy())
    made = exp.Div(this=exp.cast(total, "double"), expression=exp.cast(number, "double"), typed=True, safe=True)
    return exp.paren(made)


def _over_numbers(kind: type[Sql], bound: Sql) -> Sql:
    return kind(this=exp.cast(bound, "double") if kind is exp.Avg else bound)


def _argument(node: Sql, scope: Scope, *, over: bool) -> Value:
    """What an aggregate is of: values of rows, or of groups where it is OVER a window."""
    found = value(_inside(node.this), scope)
    for part in found.held:
        (demand_no_windows if over else demand_of_rows)(part, node.key.upper())
    return found


def _inside(argument: Sql) -> Sql:
    """The one expression that an aggregate is of."""
    if not isinstance(argument, exp.Distinct):
        return argument
    demand_only(argument, ("expressions",))
    if len(argument.expressions) != 1:
        raise StatementError("DISTINCT in an aggregate is of one expression.")
    found: Sql = argument.expressions[0]
    return found


def _counted(node: Sql, scope: Scope, *, over: bool) -> Value:
    demand_only(node, ("this", "expressions", "big_int"))
    if node.expressions or node.this is None:
        raise StatementError("COUNT is of one expression, or of *.")
    if isinstance(node.this, exp.Star):
        demand_only(node.this, ())
        return Plain(exp.Count(this=exp.Star()), "integer")
    distinct = isinstance(node.this, exp.Distinct)
    inner = _argument(node, scope, over=over)
    if distinct and not isinstance(inner, Plain):
        raise no_weaker("COUNT DISTINCT")
    argument = likeliest(inner)
    return Plain(exp.Count(this=exp.Distinct(expressions=[argument]) if distinct else argument), "integer")


def filtered(node: Sql, scope: Scope, *, over: bool = False) -> Value:
    """An aggregate FILTER (WHERE ...): of the rows where the condition certainly holds."""
    from sfumato.gateway.sql.predicates import held

    demand_only(node, ("this", "expression"))
    if type(node.this) not in AGGREGATES:
        raise not_understood(node)
    inner, kept = aggregated(node.this, scope, alone=False, over=over), held(node.expression.this, scope)
    (demand_no_windows if over else demand_of_rows)(kept, "FILTER")
    return each(inner, lambda part: exp.Filter(this=part, expression=exp.Where(this=kept.copy())))


def each(inner: Value, made: Callable[[Sql], Sql]) -> Value:
    """The same done to both bounds."""
    if isinstance(inner, Range):
        return Range(made(inner.low.copy()), made(inner.high.copy()), inner.kind)
    if isinstance(inner, Plain):
        return replace(inner, sql=made(inner.sql.copy()))
    raise no_weaker("this aggregate")
