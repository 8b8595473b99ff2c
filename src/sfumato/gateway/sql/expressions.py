"""Expressions: what every kind of them means on plain, weaker and hidden values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.arithmetic import combined, divided, joined_text, negative, remainder
from sfumato.gateway.sql.casts import cast_to
from sfumato.gateway.sql.functions import ACCESSORS, FUNCTIONS, Addable
from sfumato.gateway.sql.kinds import demand_family, together
from sfumato.gateway.sql.literals import WHOLE_DIGITS, odd_literal
from sfumato.gateway.sql.measurable import addable
from sfumato.gateway.sql.names import Scope
from sfumato.gateway.sql.reading import KIND, parameter_number
from sfumato.gateway.sql.sizes import demand_small
from sfumato.gateway.sql.supported_nodes import demand_only, no_weaker, not_understood
from sfumato.gateway.sql.values import Plain, Range, Value, Weak, exactly, negated

Sql = exp.Expr


def value(node: Sql, scope: Scope) -> Value:
    """What an expression is."""
    from sfumato.gateway.sql.predicates import MEANINGS, as_value, truth

    meaning = VALUES.get(type(node))
    if meaning is not None:
        return meaning(node, scope)
    if type(node) in MEANINGS:
        return as_value(truth(node, scope))
    if type(node) in FUNCTIONS:
        return _called(node, scope)
    from sfumato.gateway.sql.aggregates import AGGREGATES, aggregated
    from sfumato.gateway.sql.windows import WINDOW_ONLY

    if type(node) in AGGREGATES:
        return aggregated(node, scope)
    if type(node) in WINDOW_ONLY:
        raise StatementError(f"{type(node).__name__} needs OVER (...).")
    raise not_understood(node)


def plain(node: Sql, scope: Scope, what: str) -> Plain:
    """An expression that must be a plain value."""
    found = value(node, scope)
    if not isinstance(found, Plain) or found.kind == "uncertain":
        raise no_weaker(what)
    return found


def ordered(found: Plain, scope: Scope) -> Sql:
    """A value to compare or to sort by: texts by their characters, whatever the server's language is."""
    sql = found.sql.copy()
    if found.sorts_as == "text" and scope.engine == "postgres":
        return exp.Collate(this=exp.paren(sql), expression=exp.to_identifier("C", quoted=True))
    return sql


def _column(node: Sql, scope: Scope) -> Value:
    demand_only(node, ("this", "table", "db", "catalog"))
    if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
        raise not_understood(node)
    return scope.resolve(node)


def _literal(node: Sql, scope: Scope) -> Value:
    if node.is_string:
        return Plain(node.copy(), "text")
    if "e" in node.this.lower():  # a decimal to one engine, a floating number to the other
        return Plain(exp.cast(node.copy(), "double"), "float")
    return Plain(node.copy(), "integer" if node.is_int else "decimal", small=len(node.this) <= WHOLE_DIGITS)


def _odd(node: Sql, scope: Scope) -> Value:
    raise odd_literal()


def _null(node: Sql, scope: Scope) -> Value:
    return Plain(exp.null(), "null")


def _parameter(node: Sql, scope: Scope) -> Value:
    return Plain(parameter(node), node.meta.get(KIND, "parameter"))


def parameter(node: Sql) -> Sql:
    """A parameter by its number, the same whichever way a reader keeps it."""
    made = exp.Parameter(this=exp.Literal.number(parameter_number(node)))
    made.meta.update(node.meta)
    return made


def _paren(node: Sql, scope: Scope) -> Value:
    inner = value(node.this, scope)
    return replace(inner, sql=exp.paren(inner.sql)) if isinstance(inner, Plain) else inner


def _arithmetic(node: Sql, scope: Scope) -> Value:
    demand_only(node, ("this", "expression", "typed", "safe"))
    return combined(type(node), *_sides(node, scope, "arithmetic"))


def _divided(node: Sql, scope: Scope) -> Value:
    return divided(*_sides(node, scope, "arithmetic"))


def _remainder(node: Sql, scope: Scope) -> Value:
    return remainder(*_sides(node, scope, "arithmetic"))


def _sides(node: Sql, scope: Scope, what: str) -> tuple[Plain, Plain]:
    return plain(node.this, scope, what), plain(node.expression, scope, what)


def _negative(node: Sql, scope: Scope) -> Value:
    inner = value(node.this, scope)
    if isinstance(inner, Range):
        demand_family((inner.kind,), "number", "a sign")
        low, high = (exp.Neg(this=exp.paren(bound)) for bound in reversed(inner.parts))
        return Range(low, high, inner.kind, None, inner.hideable)
    return negative(plain(node.this, scope, "a sign"))


def _joined_text(node: Sql, scope: Scope) -> Value:
    demand_only(node, ("this", "expression", "safe"))
    return joined_text(*_sides(node, scope, "||"))


def _cast(node: Sql, scope: Scope) -> Value:
    demand_only(node, ("this", "to", "safe"))
    return cast_to(plain(node.this, scope, "CAST"), node.args["to"])


def _case(node: Sql, scope: Scope) -> Value:
    """Where a condition is neither certainly true nor certainly false, the value of a CASE is not known either."""
    from sfumato.gateway.sql.predicates import truth

    demand_only(node, ("this", "ifs", "default"))
    branches: list[tuple[Sql, Value]] = []
    for branch in node.args["ifs"]:
        test = branch.this if node.this is None else exp.EQ(this=node.this.copy(), expression=branch.this.copy())
        found = truth(test, scope)
        branches.append((found.true, value(branch.args["true"], scope)))
        if found.plain is None:
            if found.false is None:
                raise no_weaker("CASE on a condition that looks for rows")
            unknown = negated(exp.func("COALESCE", found.false.copy(), exp.false()))
            branches.append((unknown, Plain(exp.null(), "null")))
    default = node.args.get("default")
    last: Value = Plain(exp.null(), "null") if default is None else value(default, scope)
    made = chosen(branches, last)
    doubtful = len(branches) > len(node.args["ifs"])
    return Plain(made.sql, "uncertain", under=made.sorts_as) if doubtful and isinstance(made, Plain) else made


def chosen(branches: Sequence[tuple[Sql, Value]], last: Value) -> Value:
    """CASE WHEN, of whatever kind its values are."""
    values = [*(one for _, one in branches), last]
    demand_small(*(test for test, _ in branches), *(part for one in values for part in one.held))
    made = [
        _switch([(test, part(one, place)) for test, one in branches], part(last, place))
        for place, part in enumerate(_alike(values))
    ]
    return built(values, made)


def _switch(branches: Sequence[tuple[Sql, Sql]], last: Sql) -> Sql:
    return exp.Case(ifs=[exp.If(this=test.copy(), true=result) for test, result in branches], default=last)


def _alike(values: Sequence[Value]) -> list[Callable[[Value, int], Sql]]:
    """How to take the parts of values that are to stand in one column."""
    if any(isinstance(one, Range) for one in values) and any(isinstance(one, Weak) for one in values):
        raise no_weaker("mixing numbers and texts")
    if any(isinstance(one, Range) for one in values):
        return [_bound, _bound]
    if any(isinstance(one, Weak) for one in values):
        return [_bound, lambda one, place: exactly(one) if not _missing(one) else exp.null()]
    return [_bound]


def _bound(one: Value, place: int) -> Sql:
    held = one.held
    return held[min(place, len(held) - 1)].copy()


def _missing(one: Value) -> bool:
    return isinstance(one, Plain) and isinstance(one.sql, exp.Null)


def built(values: Sequence[Value], parts: Sequence[Sql]) -> Value:
    """A value of the same kind as these, from its parts."""
    kind = together([one.kind for one in values], "a column")
    hideable = any(one.hideable for one in values)
    if any(isinstance(one, Range) for one in values):
        columns = {one.column for one in values if isinstance(one, Range)}
        return Range(parts[0], parts[1], kind, columns.pop() if len(columns) == 1 else None, hideable)
    if any(isinstance(one, Weak) for one in values):
        return Weak(parts[0], parts[1], hideable)
    under = {one.sorts_as if isinstance(one, Plain) else one.kind for one in values} - {"null"}
    small = kind == "integer" and all(one.small or one.kind == "null" for one in values if isinstance(one, Plain))
    return Plain(parts[0], kind, hideable, under.pop() if kind == "uncertain" and len(under) == 1 else None, small)


def parts_alike(values: Sequence[Value]) -> list[list[Sql]]:
    """The parts of values that are to stand in one column, each value with as many as the others."""
    takers = _alike(values)
    return [[take(one, place) for place, take in enumerate(takers)] for one in values]


def _called(node: Sql, scope: Scope) -> Value:
    """A function of plain values."""
    function = FUNCTIONS[type(node)]
    demand_only(node, function.arguments)
    made, every = node.copy(), list[Plain]()
    for name in function.values:
        given = node.args.get(name)
        if given is None:
            continue
        found = [plain(one, scope, node.key.upper()) for one in (given if isinstance(given, list) else [given])]
        every.extend(found)
        sqls = [ordered(one, scope) if function.sorts else one.sql.copy() for one in found]
        made.set(name, sqls if isinstance(given, list) else sqls[0])
    hideable = any(one.hideable for one in every)
    sql, kind = function.finished(made, [one.kind for one in every])
    if hideable and not function.strict:
        return Plain(sql, "uncertain", hideable, under=kind)
    return Plain(sql, kind, hideable)


def _accessor(node: Sql, scope: Scope) -> Value:
    """lo(x), hi(x), exact(x): the bounds of a weaker number, and a value only where it is known."""
    name = node.name.lower()
    if name not in ACCESSORS or len(node.expressions) != 1:
        raise not_understood(node)
    inner = value(node.expressions[0], scope)
    if isinstance(inner, Plain):
        return inner
    any_digits = isinstance(inner, Range) and inner.any_digits and scope.engine == "postgres"
    kind = "number" if any_digits else inner.kind
    if name == "exact":
        return Plain(exp.Case().when(exactly(inner), inner.parts[0]), kind, True)
    if isinstance(inner, Weak):
        raise StatementError("lo and hi are of numbers and dates; use exact(column) for a text.")
    return Plain(inner.parts[0 if name == "lo" else 1], kind, inner.hideable)


def _addable(node: Sql, scope: Scope) -> Value:
    inner = value(node.this, scope)
    if isinstance(inner, Weak) or inner.column is None:
        return inner
    kind = inner.column.type
    if isinstance(inner, Range):
        low, high = (addable(part, kind, scope.engine) for part in inner.held)
        return replace(inner, low=low, high=high)
    return replace(inner, sql=addable(inner.sql, kind, scope.engine))


def _subquery(node: Sql, scope: Scope) -> Value:
    from sfumato.gateway.sql.subqueries import scalar

    return scalar(node, scope)


def _window(node: Sql, scope: Scope) -> Value:
    from sfumato.gateway.sql.windows import windowed

    return windowed(node, scope)


def _filtered(node: Sql, scope: Scope) -> Value:
    from sfumato.gateway.sql.aggregates import filtered

    return filtered(node, scope)


VALUES: dict[type[Sql], Callable[[Sql, Scope], Value]] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Null: _null,
    exp.Parameter: _parameter,
    exp.Placeholder: _parameter,
    exp.Paren: _paren,
    exp.Add: _arithmetic,
    exp.Sub: _arithmetic,
    exp.Mul: _arithmetic,
    exp.Div: _divided,
    exp.Mod: _remainder,
    exp.Neg: _negative,
    exp.DPipe: _joined_text,
    exp.Cast: _cast,
    exp.Case: _case,
    exp.Anonymous: _accessor,
    Addable: _addable,
    exp.Subquery: _subquery,
    exp.Window: _window,
    exp.Filter: _filtered,
    **dict.fromkeys(
        (exp.BitString, exp.ByteString, exp.HexString, exp.National, exp.RawString, exp.UnicodeString, exp.Heredoc),
        _odd,
    ),
}
"""What is understood as a value, beside functions and aggregates."""
