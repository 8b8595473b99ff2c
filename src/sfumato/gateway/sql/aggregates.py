"""Aggregates: of ranges they give ranges, and of hidden values nothing.

What floating numbers add up to depends on their order, and so does whether a sum of wide ones leaves the range of its
type on the way. The order in which rows are stored may be that of a hidden column, so nothing here depends on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.expressions import ordered, value
from sfumato.gateway.sql.kinds import demand_family
from sfumato.gateway.sql.masked import is_small
from sfumato.gateway.sql.names import Scope
from sfumato.gateway.sql.placement import demand_no_windows, demand_of_rows
from sfumato.gateway.sql.supported_nodes import demand_only, no_weaker, not_understood
from sfumato.gateway.sql.tie_breaks import constant
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
_EXACT = ("integer", "decimal", "number")
"""Kinds whose sums are exact, in whatever order."""

_BY_ORDER = "sfumato.by_order"


def aggregated(node: Sql, scope: Scope, *, over: bool = False) -> Value:
    """An aggregate over rows or groups, or `over` a window."""
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
        return _range_of(type(node), inner, scope, over=over)
    if isinstance(inner, Weak):
        raise no_weaker(node.key.upper())
    return _plain_of(node, inner, distinct, scope, over=over)


def _range_of(kind: type[Sql], inner: Range, scope: Scope, *, over: bool) -> Range:
    if kind in (exp.Min, exp.Max):
        least, most = (kind(this=bound) for bound in inner.parts)
        return Range(least, most, inner.kind)
    demand_family((inner.kind,), "number", kind.key.upper())
    small = inner.column is not None and is_small(inner.column)
    sides = [Plain(bound, inner.kind, small=small) for bound in inner.parts]
    if kind is exp.Avg and inner.kind in _EXACT:  # both bounds are there, or neither: they are counted once
        low, high = (_average(_total(side, False, scope), exp.Count(this=inner.low.copy())) for side in sides)
    else:
        low, high = (_added(kind, side, False, scope, over) for side in sides)
    return Range(low, high, "float" if kind is exp.Avg else inner.kind)


def _plain_of(node: Sql, inner: Plain, distinct: bool, scope: Scope, *, over: bool) -> Plain:
    kind = AGGREGATES[type(node)] or inner.kind
    if isinstance(node, exp.Min | exp.Max):
        if inner.kind == "boolean":
            raise StatementError("the least and largest of conditions are bool_and and bool_or.")
        return Plain(type(node)(this=ordered(inner, scope)), kind, inner.hideable, inner.under)
    demand_family((inner.kind,), "boolean" if kind == "boolean" else "number", node.key.upper())
    if kind == "boolean":
        return Plain(type(node)(this=_each_once(inner.sql, distinct)), kind, inner.hideable)
    return Plain(_added(type(node), inner, distinct, scope, over), kind, inner.hideable)


def _added(kind: type[Sql], inner: Plain, distinct: bool, scope: Scope, over: bool) -> Sql:
    """A sum, a mean or a deviation, the same in whatever order rows come."""
    if inner.sorts_as in _EXACT and kind is exp.Sum:
        return _total(inner, distinct, scope)
    if inner.sorts_as in _EXACT and kind is exp.Avg:
        return _average(_total(inner, distinct, scope), exp.Count(this=_each_once(inner.sql, distinct)))
    argument = inner.sql.copy() if kind is exp.Sum else exp.cast(inner.sql, "double")
    if constant(inner.sql):
        return kind(this=_each_once(argument, distinct))
    if over:  # PostgreSQL does not sort what an aggregate OVER a window adds up; the window does
        made = kind(this=argument)
        made.meta[_BY_ORDER] = True
        return made
    key = exp.Ordered(this=argument.copy(), desc=False, nulls_first=False)
    return kind(this=exp.Order(this=_each_once(argument, distinct), expressions=[key]))


def added_by_order(made: Sql) -> Sql | None:
    """What an aggregate OVER a window adds up, if the sum depends on the order; None if it does not."""
    inner = made.this if isinstance(made, exp.Filter) else made
    found: Sql | None = inner.this if inner.meta.get(_BY_ORDER) else None
    return found


def _total(inner: Plain, distinct: bool, scope: Scope) -> Sql:
    """An exact sum, of what is above zero and what is below apart where it may leave the range of its type.

    Then no sum on the way is larger than the last one, and whether it fails does not depend on the order.
    """
    if inner.small or scope.engine == "postgres":
        return exp.Sum(this=_each_once(inner.sql, distinct))
    nothing = exp.Literal.number(0)
    sides = [
        exp.Case(ifs=[exp.If(this=beyond(this=inner.sql.copy(), expression=nothing.copy()), true=nothing.copy())])
        for beyond in (exp.LT, exp.GT)
    ]
    above, below = (exp.Sum(this=_each_once(side.else_(inner.sql.copy()), distinct)) for side in sides)
    return exp.paren(exp.Add(this=above, expression=below))


def _average(total: Sql, number: Sql) -> Sql:
    """A sum by how many there are: exact, and several times as fast as a mean of floating numbers."""
    made = exp.Div(this=exp.cast(total, "double"), expression=exp.cast(number, "double"), typed=True, safe=True)
    return exp.paren(made)


def _each_once(argument: Sql, distinct: bool) -> Sql:
    return exp.Distinct(expressions=[argument.copy()]) if distinct else argument.copy()


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
        return Plain(exp.Count(this=exp.Star()), "integer", small=True)
    distinct = isinstance(node.this, exp.Distinct)
    inner = _argument(node, scope, over=over)
    if distinct and not isinstance(inner, Plain):
        raise no_weaker("COUNT DISTINCT")
    argument = likeliest(inner)
    return Plain(exp.Count(this=exp.Distinct(expressions=[argument]) if distinct else argument), "integer", small=True)


def filtered(node: Sql, scope: Scope, *, over: bool = False) -> Value:
    """An aggregate FILTER (WHERE ...): of the rows where the condition certainly holds."""
    from sfumato.gateway.sql.predicates import held

    if type(node.this) not in AGGREGATES:
        raise not_understood(node)
    inner, kept = aggregated(node.this, scope, over=over), held(node.expression.this, scope)
    (demand_no_windows if over else demand_of_rows)(kept, "FILTER")
    return each(inner, lambda part: exp.Filter(this=part, expression=exp.Where(this=kept.copy())))


def each(inner: Value, made: Callable[[Sql], Sql]) -> Value:
    """The same done to all aggregates of both bounds."""

    def done(part: Sql) -> Sql:
        return part.transform(lambda node: made(node) if _is_one(node) else node) if _is_made_up(part) else made(part)

    if isinstance(inner, Range):
        return Range(done(inner.low.copy()), done(inner.high.copy()), inner.kind)
    if isinstance(inner, Plain):
        return replace(inner, sql=done(inner.sql.copy()))
    raise no_weaker("this aggregate")


def _is_made_up(part: Sql) -> bool:
    """Whether it is made of several aggregates."""
    return isinstance(part, exp.Paren)


def _is_one(node: Sql) -> bool:
    return isinstance(node, exp.AggFunc | exp.Filter)
