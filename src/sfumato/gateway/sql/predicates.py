"""Conditions: where they are certainly true, and where they are certainly false."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.casts import matched
from sfumato.gateway.sql.expressions import ordered, value
from sfumato.gateway.sql.kinds import demand_family
from sfumato.gateway.sql.names import Scope
from sfumato.gateway.sql.sizes import demand_small
from sfumato.gateway.sql.supported_nodes import demand_only, no_weaker
from sfumato.gateway.sql.values import (
    Plain,
    Range,
    Truth,
    Value,
    Weak,
    all_of,
    any_of,
    bounds,
    exactly,
    likeliest,
    negated,
)

Sql = exp.Expr


def truth(node: Sql, scope: Scope) -> Truth:
    """What a condition means; a value that is no condition by its form must be one by its type."""
    meaning = MEANINGS.get(type(node))
    if meaning is not None:
        found = meaning(node, scope)
        if found.plain is None:
            scope.doubt()
        return found
    found_value = value(node, scope)
    if not isinstance(found_value, Plain):
        raise no_weaker("a condition of a value alone")
    if found_value.kind == "uncertain":
        raise no_weaker("a condition of a condition's answer")
    demand_family((found_value.kind,), "boolean", "a condition")
    if found_value.hideable:
        scope.doubt()
    return Truth.of(found_value.sql, certain=not found_value.hideable)


def held(node: Sql, scope: Scope) -> Sql:
    """Where a condition certainly holds."""
    return truth(node, scope).true


def as_value(found: Truth) -> Plain:
    """A condition as a value: true, false, or unknown."""
    demand_small(found.true, found.false)
    if found.plain is not None:
        return Plain(found.plain, "boolean")
    if found.false is None:
        raise no_weaker("the answer of a condition that looks for rows")
    case = exp.Case().when(found.true.copy(), exp.true()).when(found.false.copy(), exp.false())
    return Plain(case, "uncertain", under="boolean")


def _and(node: Sql, scope: Scope) -> Truth:
    return _connected(node, scope, all_of, any_of)


def _or(node: Sql, scope: Scope) -> Truth:
    return _connected(node, scope, any_of, all_of)


def _connected(node: Sql, scope: Scope, held_by: Callable[..., Sql], broken_by: Callable[..., Sql]) -> Truth:
    """All conditions of a chain at once, so that long chains are not deep."""
    every = [truth(one, scope) for one in node.flatten(unnest=False)]
    plain = [one.plain for one in every if one.plain is not None]
    false = [one.false for one in every if one.false is not None]
    return Truth(
        held_by(*(one.true for one in every)),
        broken_by(*false) if len(false) == len(every) else None,
        held_by(*plain) if len(plain) == len(every) else None,
    )


def _not(node: Sql, scope: Scope) -> Truth:
    return _opposite(truth(node.this, scope))


def _opposite(inner: Truth) -> Truth:
    if inner.plain is not None:
        return Truth.of(negated(inner.plain))
    if inner.false is None:
        raise no_weaker("NOT before a condition that looks for rows")
    return Truth(inner.false, inner.true)


def _paren(node: Sql, scope: Scope) -> Truth:
    return truth(node.this, scope)


def _boolean(node: Sql, scope: Scope) -> Truth:
    return Truth.of(node.copy())


def _compared(kind: type[exp.Binary]) -> Callable[[Sql, Scope], Truth]:
    def meaning(node: Sql, scope: Scope) -> Truth:
        demand_only(node, ("this", "expression", "negate"))
        found = compared(kind, value(node.this, scope), value(node.expression, scope), scope)
        return _opposite(found) if node.args.get("negate") else found

    return meaning


def compared(kind: type[exp.Binary], one: Value, other: Value, scope: Scope) -> Truth:
    """A comparison of two values."""
    if "uncertain" in (one.kind, other.kind):
        raise no_weaker("comparing the answer of a condition")
    demand_small(*one.held, *other.held)
    one, other = matched(one, other)
    if kind in (exp.Like, exp.ILike):
        demand_family((one.kind, other.kind), "text", "LIKE")
    if isinstance(one, Weak) or isinstance(other, Weak):
        return _of_weak(kind, one, other, scope)
    if isinstance(one, Range) or isinstance(other, Range):
        return _of_ranges(kind, one, other)
    certain = not (one.hideable or other.hideable)
    return Truth.of(_written(kind, one, other, scope), certain=certain)


def _written(kind: type[exp.Binary], one: Plain, other: Plain, scope: Scope) -> Sql:
    """A comparison of plain values as SQL; a backslash in a pattern is a backslash on every engine."""
    made = kind(this=ordered(one, scope), expression=ordered(other, scope))
    if kind in (exp.Like, exp.ILike) and scope.engine == "postgres":
        return exp.Escape(this=made, expression=exp.Literal.string(""))
    return made


def _of_weak(kind: type[exp.Binary], one: Value, other: Value, scope: Scope) -> Truth:
    """Texts are compared where both are known, and nowhere else."""
    if isinstance(one, Range) or isinstance(other, Range):
        raise no_weaker("comparing a text with a number")
    sides = [Plain(likeliest(side), "text") for side in (one, other)]
    same = _written(kind, sides[0], sides[1], scope)
    known = [exactly(side) for side in (one, other)]
    return Truth(all_of(*known, same), all_of(*known, negated(same)))


def _of_ranges(kind: type[exp.Binary], one: Plain | Range, other: Plain | Range) -> Truth:
    low, high = bounds(one)
    least, most = bounds(other)
    if kind in (exp.EQ, exp.NEQ):
        same = all_of(exactly(one), exactly(other), exp.EQ(this=low, expression=least))
        apart = any_of(exp.LT(this=high, expression=least), exp.GT(this=low, expression=most))
        return Truth(same, apart) if kind is exp.EQ else Truth(apart, same)
    certain: dict[type[exp.Binary], tuple[Sql, Sql]] = {
        exp.GT: (exp.GT(this=low, expression=most), exp.LTE(this=high, expression=least)),
        exp.GTE: (exp.GTE(this=low, expression=most), exp.LT(this=high, expression=least)),
        exp.LT: (exp.LT(this=high, expression=least), exp.GTE(this=low, expression=most)),
        exp.LTE: (exp.LTE(this=high, expression=least), exp.GT(this=low, expression=most)),
    }
    if kind not in certain:
        raise no_weaker("this comparison")
    return Truth(*certain[kind])


def _distinct(node: Sql, scope: Scope) -> Truth:
    """IS [NOT] DISTINCT FROM, which takes rows away by what is missing."""
    sides = [value(side, scope) for side in (node.this, node.expression)]
    if not all(isinstance(side, Plain) and not side.hideable and side.kind != "uncertain" for side in sides):
        raise no_weaker("DISTINCT FROM")
    one, other = matched(sides[0], sides[1])
    return Truth.of(type(node)(this=likeliest(one), expression=likeliest(other)))


def _between(node: Sql, scope: Scope) -> Truth:
    demand_only(node, ("this", "low", "high"))
    inner = value(node.this, scope)
    ends = [value(node.args[end], scope) for end in ("low", "high")]
    above, below = compared(exp.GTE, inner, ends[0], scope), compared(exp.LTE, inner, ends[1], scope)
    if above.plain is not None and below.plain is not None:
        return Truth.of(all_of(above.plain, below.plain))
    if above.false is None or below.false is None:
        raise no_weaker("BETWEEN")
    return Truth(all_of(above.true, below.true), any_of(above.false, below.false))


def _is(node: Sql, scope: Scope) -> Truth:
    demand_only(node, ("this", "expression", "negate"))
    found = _being(node, scope)
    return _opposite(found) if node.args.get("negate") else found


def _being(node: Sql, scope: Scope) -> Truth:
    wanted = node.expression
    if isinstance(wanted, exp.Null):
        found_value = value(node.this, scope)
        if found_value.kind == "uncertain":
            raise no_weaker("IS NULL of a condition")
        missing = exp.Is(this=exp.paren(likeliest(found_value)), expression=exp.null())
        return Truth(exp.false(), negated(missing)) if found_value.hideable else Truth.of(missing)
    if isinstance(wanted, exp.Boolean):
        found = truth(node.this, scope)
        if found.plain is None:
            raise no_weaker("IS TRUE or IS FALSE")
        return Truth.of(exp.Is(this=exp.paren(found.plain.copy()), expression=wanted.copy()))
    raise StatementError("IS is followed by NULL, TRUE or FALSE.")


def _in(node: Sql, scope: Scope) -> Truth:
    demand_only(node, ("this", "expressions", "query"))
    if node.args.get("query") is not None:
        from sfumato.gateway.sql.subqueries import found_in

        return found_in(node, scope)
    inner = value(node.this, scope)
    others = [matched(inner, value(other, scope))[1] for other in node.expressions]
    if "uncertain" in {side.kind for side in (inner, *others)}:
        raise no_weaker("IN of a condition's answer")
    if not others:
        raise StatementError("IN needs at least one value.")
    if all(isinstance(side, Plain) for side in (inner, *others)):
        certain = not any(side.hideable for side in (inner, *others))
        listed = exp.In(this=likeliest(inner), expressions=[likeliest(other) for other in others])
        return Truth.of(listed, certain=certain)
    each = [compared(exp.EQ, inner, other, scope) for other in others]
    return Truth(any_of(*(one.true for one in each)), all_of(*(one.false or negated(one.true) for one in each)))


def _exists(node: Sql, scope: Scope) -> Truth:
    from sfumato.gateway.sql.subqueries import any_found

    demand_only(node, ("this",))
    return any_found(node, scope)


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
    exp.NullSafeEQ: _distinct,
    exp.NullSafeNEQ: _distinct,
    **{kind: _compared(kind) for kind in (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like, exp.ILike)},
}
"""What is understood as a condition."""
