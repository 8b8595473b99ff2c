"""Compiles conditions: where they are certainly true, and where they are certainly false.

A row is answered only if its condition is certainly true, whatever the hidden and weaker values really are.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.casts import comparable
from sfumato.gateway.sql.expressions import value, with_collation
from sfumato.gateway.sql.kinds import demand_family
from sfumato.gateway.sql.names import Scope
from sfumato.gateway.sql.supported_nodes import COMPUTED, demand_only, unsupported_on_masked
from sfumato.gateway.sql.values import (
    Bound,
    Doubt,
    Range,
    Scalar,
    Truth,
    Value,
    WeakerText,
    all_of,
    always_exact,
    any_of,
    bounds,
    first_part,
    is_exact,
    negation,
)

Sql = exp.Expr


def truth(node: Sql, scope: Scope) -> Truth:
    """Compile a condition; a node that is not a condition by its syntax must have a boolean value."""
    meaning = MEANINGS.get(type(node))
    if meaning is not None:
        return meaning(node, scope)
    found_value = value(node, scope)
    if not isinstance(found_value, Scalar):
        raise unsupported_on_masked("a condition of a value alone")
    if found_value.uncertain:
        raise unsupported_on_masked(COMPUTED)
    demand_family((found_value.kind,), "boolean", "a condition")
    return Truth.of(found_value.sql, certain=not found_value.hideable)


def as_value(found: Truth) -> Scalar:
    """A condition as a boolean value: true, false, or NULL where neither is certain.

    It is in parentheses, because the value may become an operand: `CASE a AND b WHEN c` compares `(a AND b) = c`.
    """
    if found.exact is not None:
        alone = isinstance(found.exact, exp.Boolean | exp.Paren)
        return Scalar(found.exact if alone else exp.paren(found.exact), "boolean", doubt=Doubt.NONE)
    if found.false is None:
        raise unsupported_on_masked("the answer of a condition that is never certainly false")
    case = exp.Case().when(found.true.copy(), exp.true()).when(found.false.copy(), exp.false())
    return Scalar(case, "boolean", doubt=Doubt.ABSENCE)


def _and(node: Sql, scope: Scope) -> Truth:
    """AND: certainly true if all operands are, certainly false if one of them is."""
    return _connective(node, scope, all_of, any_of)


def _or(node: Sql, scope: Scope) -> Truth:
    """OR: certainly true if one operand is, certainly false if all of them are."""
    return _connective(node, scope, any_of, all_of)


def _connective(node: Sql, scope: Scope, join_true: Callable[..., Sql], join_false: Callable[..., Sql]) -> Truth:
    """AND or OR over all operands of a chain at once, so that long chains do not become deep trees."""
    # Conditions of a chain are joined at one level; nesting them
    # pairwise would make trees as deep as the chain is long.
    operands = [truth(one, scope) for one in node.flatten(unnest=False)]
    exact = [one.exact for one in operands if one.exact is not None]
    false = [one.false for one in operands if one.false is not None]
    return Truth(
        join_true(*(one.true for one in operands)),
        # Without a `false` for each operand, nothing certain is known about the whole being false.
        join_false(*false) if len(false) == len(operands) else None,
        join_true(*exact) if len(exact) == len(operands) else None,
    )


def _not(node: Sql, scope: Scope) -> Truth:
    return _opposite(truth(node.this, scope))


def _opposite(inner: Truth) -> Truth:
    """NOT: certainly true and certainly false change places."""
    if inner.exact is not None:
        return Truth.of(negation(inner.exact))
    if inner.false is None:
        raise unsupported_on_masked("NOT before a condition that is never certainly false")
    # Where neither holds, NOT is not certain either, so `exact` stays None.
    return Truth(inner.false, inner.true)


def _paren(node: Sql, scope: Scope) -> Truth:
    return truth(node.this, scope)


def _boolean(node: Sql, scope: Scope) -> Truth:
    return Truth.of(node.copy())


def _comparison(kind: type[exp.Binary]) -> Callable[[Sql, Scope], Truth]:
    """The compiler of one comparison operator."""

    def meaning(node: Sql, scope: Scope) -> Truth:
        demand_only(node, ("this", "expression", "negate"))
        found = comparison(kind, value(node.this, scope), value(node.expression, scope), scope)
        return _opposite(found) if node.args.get("negate") else found

    return meaning


def comparison(kind: type[exp.Binary], one: Value, other: Value, scope: Scope) -> Truth:
    """Compare two values."""
    one, other = comparable(one, other)
    if kind in (exp.Like, exp.ILike):
        demand_family((one.kind, other.kind), "text", "LIKE")
    if one.uncertain or other.uncertain:
        return _compare_bounds(kind, one, other, scope)
    if isinstance(one, WeakerText) or isinstance(other, WeakerText):
        return _compare_weaker_texts(kind, one, other, scope)
    if isinstance(one, Range) or isinstance(other, Range):
        return _compare_ranges(kind, one, other)
    certain = not (one.hideable or other.hideable)
    return Truth.of(_comparison_sql(kind, (one.sql, one.kind), (other.sql, other.kind), scope), certain=certain)


def _comparison_sql(kind: type[exp.Binary], one: tuple[Sql, str], other: tuple[Sql, str], scope: Scope) -> Sql:
    """A comparison in SQL, both sides with their kind; a backslash in a LIKE pattern is an ordinary character."""
    sql = kind(this=with_collation(*one, scope), expression=with_collation(*other, scope))
    if kind in (exp.Like, exp.ILike) and scope.engine == "postgres":
        return exp.Escape(this=sql, expression=exp.Literal.string(""))
    return sql


def _compare_weaker_texts(kind: type[exp.Binary], one: Value, other: Value, scope: Scope) -> Truth:
    """Compare texts where both are exact; elsewhere nothing is certain."""
    if isinstance(one, Range) or isinstance(other, Range):
        raise unsupported_on_masked("comparing a text with a number")
    same = _comparison_sql(kind, (one.shared_parts[0], "text"), (other.shared_parts[0], "text"), scope)
    both_exact = [is_exact(side) for side in (one, other)]
    return Truth(all_of(*both_exact, same), all_of(*both_exact, negation(same)))


_NEEDED_BOUNDS: dict[type[exp.Binary], tuple[Bound, Bound]] = {
    exp.GT: ("low", "high"),
    exp.GTE: ("low", "high"),
    exp.LT: ("high", "low"),
    exp.LTE: ("high", "low"),
}
"""Which bounds of both sides make a comparison certain."""


def _compare_bounds(kind: type[exp.Binary], one: Value, other: Value, scope: Scope) -> Truth:
    """Compare values of which one was computed as if hidden values and missing rows did not exist.

    A count or a maximum is at least what it is of the values that are seen, so it may be certain that it exceeds a
    value, and never that it does not.
    """
    if kind not in _NEEDED_BOUNDS:
        raise unsupported_on_masked(COMPUTED)
    ends = []
    for side, needed in zip((one, other), _NEEDED_BOUNDS[kind], strict=True):
        if isinstance(side, WeakerText) or (side.uncertain and side.bound != needed):
            raise unsupported_on_masked(COMPUTED)
        ends.append((bounds(side)[needed == "high"], side.kind))
    return Truth(_comparison_sql(kind, ends[0], ends[1], scope), None)


def _compare_ranges(kind: type[exp.Binary], one: Scalar | Range, other: Scalar | Range) -> Truth:
    """Compare by bounds: certain only where the ranges do not overlap, or both values are exact."""
    low, high = bounds(one)
    least, most = bounds(other)
    if kind in (exp.EQ, exp.NEQ):
        # Overlapping ranges may or may not hold equal values; only two exact values are certainly equal.
        same = all_of(is_exact(one), is_exact(other), exp.EQ(this=low, expression=least))
        apart = _apart(low, high, least, most)
        return Truth(same, apart) if kind is exp.EQ else Truth(apart, same)
    certain: dict[type[exp.Binary], tuple[Sql, Sql]] = {
        # Certainly greater if even the lowest possible value exceeds the highest of
        # the other; certainly not greater if the highest is at most the lowest of
        # the other. NULL bounds make both conditions NULL, and so neither certain.
        exp.GT: (exp.GT(this=low, expression=most), exp.LTE(this=high, expression=least)),
        exp.GTE: (exp.GTE(this=low, expression=most), exp.LT(this=high, expression=least)),
        exp.LT: (exp.LT(this=high, expression=least), exp.GTE(this=low, expression=most)),
        exp.LTE: (exp.LTE(this=high, expression=least), exp.GT(this=low, expression=most)),
    }
    if kind not in certain:
        raise unsupported_on_masked("this comparison")
    return Truth(*certain[kind])


def _is_distinct_from(node: Sql, scope: Scope) -> Truth:
    """IS [NOT] DISTINCT FROM, only on values that cannot be hidden: it treats a NULL as a value."""
    sides = [value(side, scope) for side in (node.this, node.expression)]
    if not all(map(always_exact, sides)):
        raise unsupported_on_masked("DISTINCT FROM")
    one, other = comparable(sides[0], sides[1])
    return Truth.of(type(node)(this=first_part(one), expression=first_part(other)))


def _between(node: Sql, scope: Scope) -> Truth:
    """BETWEEN, as two comparisons."""
    demand_only(node, ("this", "low", "high"))
    inner = value(node.this, scope)
    ends = [value(node.args[end], scope) for end in ("low", "high")]
    above, below = comparison(exp.GTE, inner, ends[0], scope), comparison(exp.LTE, inner, ends[1], scope)
    if above.exact is not None and below.exact is not None:
        return Truth.of(all_of(above.exact, below.exact))
    if above.false is None or below.false is None:
        raise unsupported_on_masked("BETWEEN")
    return Truth(all_of(above.true, below.true), any_of(above.false, below.false))


def _is(node: Sql, scope: Scope) -> Truth:
    """IS [NOT] NULL, TRUE or FALSE."""
    demand_only(node, ("this", "expression", "negate"))
    found = _is_test(node, scope)
    return _opposite(found) if node.args.get("negate") else found


def _is_test(node: Sql, scope: Scope) -> Truth:
    """IS NULL, TRUE or FALSE.

    A hideable value is never certainly NULL, since a NULL may stand for a hidden value; it is certainly not NULL where
    it is shown. The same goes for an aggregate that is a bound of the true one: it is not NULL if any value is seen.
    """
    wanted = node.expression
    if isinstance(wanted, exp.Null):
        found_value = value(node.this, scope)
        if found_value.uncertain and found_value.bound is None:
            raise unsupported_on_masked(COMPUTED)
        missing = exp.Is(this=exp.paren(first_part(found_value)), expression=exp.null())
        return Truth(exp.false(), negation(missing)) if found_value.hideable else Truth.of(missing)
    if isinstance(wanted, exp.Boolean):
        found = truth(node.this, scope)
        if found.exact is None:
            raise unsupported_on_masked("IS TRUE or IS FALSE")
        return Truth.of(exp.Is(this=exp.paren(found.exact.copy()), expression=wanted.copy()))
    raise StatementError("IS is followed by NULL, TRUE or FALSE.")


def _in(node: Sql, scope: Scope) -> Truth:
    """IN with a list of values, or with a nested query."""
    demand_only(node, ("this", "expressions", "query"))
    if node.args.get("query") is not None:
        from sfumato.gateway.sql.subqueries import in_subquery

        return in_subquery(node, scope)
    inner = value(node.this, scope)
    others = [comparable(inner, value(other, scope))[1] for other in node.expressions]
    if any(side.uncertain for side in (inner, *others)):
        raise unsupported_on_masked(COMPUTED)
    if not others:
        raise StatementError("IN needs at least one value.")
    if not all(isinstance(other, Scalar) for other in others):
        # Certainly in the list if certainly equal to one value, certainly not if certainly different from all.
        each = [comparison(exp.EQ, inner, other, scope) for other in others]
        return Truth(any_of(*(one.true for one in each)), all_of(*(one.false or negation(one.true) for one in each)))
    listed = exp.In(this=first_part(inner), expressions=[first_part(other) for other in others])
    if isinstance(inner, Scalar):
        return Truth.of(listed, certain=not any(side.hideable for side in (inner, *others)))
    # The list is written once, not once for every value: the left side may be large.
    if isinstance(inner, WeakerText):
        return Truth(all_of(is_exact(inner), listed), all_of(is_exact(inner), negation(listed)))
    outside = [_apart(*inner.parts, *[first_part(other)] * 2) for other in others]
    return Truth(all_of(is_exact(inner), listed), all_of(*outside))


def _apart(low: Sql, high: Sql, least: Sql, most: Sql) -> Sql:
    """Whether two ranges have no value in common."""
    return any_of(exp.LT(this=high, expression=least), exp.GT(this=low, expression=most))


def _exists(node: Sql, scope: Scope) -> Truth:
    from sfumato.gateway.sql.subqueries import exists_subquery

    demand_only(node, ("this",))
    return exists_subquery(node, scope)


MEANINGS: dict[type[Sql], Callable[[Sql, Scope], Truth]] = {
    exp.And: _and,
    exp.Or: _or,
    exp.Not: _not,
    exp.Paren: _paren,
    exp.Boolean: _boolean,
    exp.Between: _between,
    exp.Is: _is,
    exp.In: _in,
    exp.Exists: _exists,
    exp.NullSafeEQ: _is_distinct_from,
    exp.NullSafeNEQ: _is_distinct_from,
    **{kind: _comparison(kind) for kind in (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like, exp.ILike)},
}
"""All supported conditions by their node type."""
