"""Aggregates: on ranges they return ranges, and they ignore hidden values.

If hidden values or missing rows may change the result, its presence is in doubt: it tells no more than a bound, if at
all.

A sum of floating numbers depends on their order, and so does whether a sum of wide numbers overflows on the way. The
rows may be stored in the order of a hidden column, so no aggregate here depends on the order of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.expressions import value, with_collation
from sfumato.gateway.sql.kinds import demand_family
from sfumato.gateway.sql.masked_relations import column_fits_64_bits
from sfumato.gateway.sql.names import Scope
from sfumato.gateway.sql.placement import demand_no_windows, demand_row_level
from sfumato.gateway.sql.supported_nodes import demand_only, unsupported_node, unsupported_on_masked
from sfumato.gateway.sql.tie_breaks import is_constant
from sfumato.gateway.sql.values import Bound, Doubt, Range, Scalar, Value, WeakerText, first_part, negation

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
"""The supported aggregates and the kind of their result; an empty kind stands for the kind of the argument."""

_RANGES = (exp.Sum, exp.Avg, exp.Min, exp.Max)
"""Aggregates that are defined on ranges, bound by bound."""

_BOUNDS: dict[type[Sql], Bound] = {exp.Count: "low", exp.Max: "low", exp.Min: "high"}
"""Aggregates of fewer rows or values that are bounds of those of all: more can only make them larger, or smaller."""

_EXACT_KINDS = ("integer", "decimal", "number")
"""Kinds whose sums are exact in any order."""

_ORDER_DEPENDENT = "sfumato.by_order"
"""Marks an aggregate OVER a window whose result depends on the order of rows."""


def aggregate(
    node: Sql, scope: Scope, *, over: bool = False, rows: Doubt = Doubt.NONE, kept: Sql | None = None
) -> Value:
    """Compile an aggregate over rows or groups, or `over` a window.

    `rows` is the doubt in which its FILTER or its window, if it has one, leaves its rows; `kept` is the condition of
    the FILTER.
    """
    scope.aggregates = scope.aggregates or not over
    if over and isinstance(node.this, exp.Distinct):
        raise StatementError("an aggregate OVER a window has no DISTINCT.")
    inner = _argument(node, scope, over=over)
    _demand_own_rows([*inner.shared_parts, *([] if kept is None else [kept])], scope)
    rows = max(rows, scope.rows_doubt)
    distinct = isinstance(node.this, exp.Distinct)
    if AGGREGATES[type(node)] == "boolean":
        return _bool_aggregate(node, inner, distinct, rows)
    found = _aggregate_of(node, inner, distinct, scope, over=over)
    doubt = max(rows, inner.doubt)
    return replace(
        found,
        doubt=Doubt.PRESENCE if doubt else Doubt.NONE,
        bound=_BOUNDS.get(type(node)) if doubt is Doubt.ABSENCE and not over else None,
    )


def _demand_own_rows(parts: Sequence[Sql], scope: Scope) -> None:
    """Refuse an aggregate of nothing but columns of a query around: SQL computes it from the rows of that query."""
    tables = {column.table for part in parts for column in part.find_all(exp.Column)}
    around = {relation.alias for outer in scope.around for relation in outer.relations}
    if tables & around and not tables & {relation.alias for relation in scope.relations}:
        raise StatementError(
            "an aggregate in a nested query, or its FILTER, names a column of that query; others go into WHERE."
        )


def _aggregate_of(node: Sql, inner: Value, distinct: bool, scope: Scope, *, over: bool) -> Value:
    """The aggregate of a compiled argument."""
    if isinstance(node, exp.Count):
        return _count(inner, distinct)
    if isinstance(inner, Range):
        if distinct or not isinstance(node, _RANGES):
            raise unsupported_on_masked(f"{node.key.upper()}{' DISTINCT' if distinct else ''}")
        return _range_aggregate(type(node), inner, scope, over=over)
    if isinstance(inner, WeakerText):
        raise unsupported_on_masked(node.key.upper())
    return _scalar_aggregate(node, inner, distinct, scope, over=over)


def _range_aggregate(kind: type[Sql], inner: Range, scope: Scope, *, over: bool) -> Range:
    """The aggregate of the lower bounds and that of the upper bounds."""
    if kind in (exp.Min, exp.Max):
        # The minimum of values in ranges lies between the minimum of
        # the lower and that of the upper bounds; likewise the maximum.
        least, most = (kind(this=bound) for bound in inner.parts)
        return Range(least, most, inner.kind, doubt=inner.doubt)
    demand_family((inner.kind,), "number", kind.key.upper())
    fits_64_bits = inner.column is not None and column_fits_64_bits(inner.column)
    sides = [Scalar(bound, inner.kind, fits_64_bits, doubt=inner.doubt) for bound in inner.parts]
    if kind is exp.Avg and inner.kind in _EXACT_KINDS:  # either both bounds are NULL or neither: one count serves both
        low, high = (_exact_mean(_exact_sum(side, False, scope), exp.Count(this=inner.low.copy())) for side in sides)
    else:
        low, high = (_sum_or_mean(kind, side, False, scope, over) for side in sides)
    return Range(low, high, "float" if kind is exp.Avg else inner.kind, doubt=inner.doubt)


def _scalar_aggregate(node: Sql, inner: Scalar, distinct: bool, scope: Scope, *, over: bool) -> Scalar:
    """The aggregate of scalars."""
    kind = AGGREGATES[type(node)] or inner.kind
    if isinstance(node, exp.Min | exp.Max):
        if inner.kind == "boolean":
            raise StatementError("MIN and MAX do not take conditions; write bool_and or bool_or.")
        return Scalar(type(node)(this=with_collation(inner.sql, inner.kind, scope)), kind, doubt=inner.doubt)
    demand_family((inner.kind,), "number", node.key.upper())
    return Scalar(_sum_or_mean(type(node), inner, distinct, scope, over), kind, doubt=inner.doubt)


def _bool_aggregate(node: Sql, inner: Value, distinct: bool, rows: Doubt) -> Scalar:
    """BOOL_AND or BOOL_OR: true, false, or NULL where hidden values or missing rows decide.

    One row decides BOOL_AND if it is false, and BOOL_OR if it is true. Otherwise every row must be known.
    """
    if not isinstance(inner, Scalar):
        raise unsupported_on_masked(node.key.upper())
    demand_family((inner.kind,), "boolean", node.key.upper())
    call = type(node)(this=_maybe_distinct(inner.sql, distinct))
    doubt = max(rows, inner.doubt)
    if doubt is not Doubt.ABSENCE:
        return Scalar(call, "boolean", doubt=doubt)
    one_row_decides = negation(call) if isinstance(node, exp.LogicalAnd) else call
    decided = exp.Case().when(one_row_decides.copy(), call.copy())
    if not rows:
        every_row, known = exp.Count(this=exp.Star()), exp.Count(this=inner.sql.copy())
        decided = decided.when(exp.EQ(this=every_row, expression=known), call.copy())
    return Scalar(exp.paren(decided), "boolean", doubt=doubt)


def _sum_or_mean(kind: type[Sql], inner: Scalar, distinct: bool, scope: Scope, over: bool) -> Sql:
    """A sum, mean or deviation that is the same in any order of rows."""
    if inner.sorts_as in _EXACT_KINDS and kind is exp.Sum:
        return _exact_sum(inner, distinct, scope)
    if inner.sorts_as in _EXACT_KINDS and kind is exp.Avg:
        return _exact_mean(_exact_sum(inner, distinct, scope), exp.Count(this=_maybe_distinct(inner.sql, distinct)))
    argument = inner.sql.copy() if kind is exp.Sum else exp.cast(inner.sql, "double")
    if is_constant(inner.sql):
        return kind(this=_maybe_distinct(argument, distinct))
    if over:  # PostgreSQL allows no ORDER BY in an aggregate OVER a window; the window itself sorts
        call = kind(this=argument)
        call.meta[_ORDER_DEPENDENT] = True
        return call
    # Adding up in the order of the values makes the rounding of a floating sum independent of the storage order.
    key = exp.Ordered(this=argument.copy(), desc=False, nulls_first=False)
    return kind(this=exp.Order(this=_maybe_distinct(argument, distinct), expressions=[key]))


def order_dependent_argument(made: Sql) -> Sql | None:
    """What an aggregate OVER a window adds up if the result depends on the order of rows, else None."""
    inner = made.this if isinstance(made, exp.Filter) else made
    found: Sql | None = inner.this if inner.meta.get(_ORDER_DEPENDENT) else None
    return found


def _exact_sum(inner: Scalar, distinct: bool, scope: Scope) -> Sql:
    """An exact sum; positive and negative numbers are added up separately if the sum may overflow.

    Then no partial sum exceeds the final one, and whether the sum overflows does not depend on the order of rows.
    """
    if inner.fits_64_bits or scope.engine == "postgres":
        return exp.Sum(this=_maybe_distinct(inner.sql, distinct))
    # DuckDB sums into 128 bits. The first sum has the numbers from
    # 0 on, the second those up to 0; both grow monotonically.
    zero = exp.Literal.number(0)
    sides = [
        exp.Case(ifs=[exp.If(this=beyond(this=inner.sql.copy(), expression=zero.copy()), true=zero.copy())])
        for beyond in (exp.LT, exp.GT)
    ]
    above, below = (exp.Sum(this=_maybe_distinct(side.else_(inner.sql.copy()), distinct)) for side in sides)
    return exp.paren(exp.Add(this=above, expression=below))


def _exact_mean(total: Sql, number: Sql) -> Sql:
    """The exact sum divided by the count; several times as fast as a mean of floating numbers."""
    quotient = exp.Div(this=exp.cast(total, "double"), expression=exp.cast(number, "double"), typed=True, safe=True)
    return exp.paren(quotient)


def _maybe_distinct(argument: Sql, distinct: bool) -> Sql:
    """The argument of an aggregate, with DISTINCT or without."""
    return exp.Distinct(expressions=[argument.copy()]) if distinct else argument.copy()


def _argument(node: Sql, scope: Scope, *, over: bool) -> Value:
    """The compiled argument of an aggregate: values of rows, or of groups if it is OVER a window; * in COUNT(*)."""
    if isinstance(node, exp.Count):
        demand_only(node, ("this", "expressions", "big_int"))
        if node.expressions or node.this is None:
            raise StatementError("COUNT takes one expression, or *.")
        if isinstance(node.this, exp.Star):
            demand_only(node.this, ())
            return Scalar(exp.Star(), doubt=Doubt.NONE)
    else:
        demand_only(node, ("this",))
    found = value(_single_argument(node.this), scope)
    for part in found.shared_parts:
        (demand_no_windows if over else demand_row_level)(part, node.key.upper())
    return found


def _single_argument(argument: Sql) -> Sql:
    """The one expression that an aggregate takes, without DISTINCT."""
    if not isinstance(argument, exp.Distinct):
        return argument
    demand_only(argument, ("expressions",))
    if len(argument.expressions) != 1:
        raise StatementError("DISTINCT in an aggregate takes one expression.")
    found: Sql = argument.expressions[0]
    return found


def _count(inner: Value, distinct: bool) -> Scalar:
    """COUNT(*), COUNT(value) or COUNT(DISTINCT value); a weaker value counts once, as any value that is not hidden."""
    if distinct and not isinstance(inner, Scalar):
        raise unsupported_on_masked("COUNT DISTINCT")
    counted = exp.Count(this=_maybe_distinct(first_part(inner), distinct))
    return Scalar(counted, "integer", fits_64_bits=True, doubt=inner.doubt)


def filtered_aggregate(node: Sql, scope: Scope, *, over: bool = False, rows: Doubt = Doubt.NONE) -> Value:
    """An aggregate with FILTER (WHERE ...), over the rows where the condition is certainly true."""
    from sfumato.gateway.sql.predicates import truth

    if type(node.this) not in AGGREGATES:
        raise unsupported_node(node)
    kept = truth(node.expression.this, scope)
    (demand_no_windows if over else demand_row_level)(kept.true, "FILTER")
    rows = rows if kept.exact is not None else max(rows, Doubt.ABSENCE)
    inner = aggregate(node.this, scope, over=over, rows=rows, kept=kept.true)
    return map_aggregates(inner, lambda part: exp.Filter(this=part, expression=exp.Where(this=kept.true.copy())))


def map_aggregates(inner: Value, made: Callable[[Sql], Sql]) -> Value:
    """Apply a rewrite to every aggregate in a value, in both bounds of a range."""

    def done(part: Sql) -> Sql:
        return (
            part.transform(lambda node: made(node) if _is_aggregate(node) else node)
            if _is_composite(part)
            else made(part)
        )

    return inner.held_in(*map(done, inner.parts))


def _is_composite(part: Sql) -> bool:
    """Whether the expression combines several aggregates, as an exact sum or mean does."""
    return isinstance(part, exp.Paren)


def _is_aggregate(node: Sql) -> bool:
    return isinstance(node, exp.AggFunc | exp.Filter)
