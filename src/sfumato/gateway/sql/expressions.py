"""Compiles expressions: what each supported node means on scalars, ranges, weaker texts and hidden values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.arithmetic import binary_operation, concatenation, negative_number, quotient, remainder
from sfumato.gateway.sql.bounded_aggregates import bounded_addend
from sfumato.gateway.sql.casts import cast_to
from sfumato.gateway.sql.functions import ACCESSORS, FUNCTIONS, is_bounded_addend
from sfumato.gateway.sql.kinds import common_kind, demand_family
from sfumato.gateway.sql.literals import BIGINT_DIGITS, unsupported_literal
from sfumato.gateway.sql.names import Scope
from sfumato.gateway.sql.reading import KIND, parameter_number
from sfumato.gateway.sql.supported_nodes import demand_only, unsupported_node, unsupported_on_masked
from sfumato.gateway.sql.values import Doubt, Range, Scalar, Value, WeakerText, is_exact, negation

Sql = exp.Expr


def value(node: Sql, scope: Scope) -> Value:
    """Compile an expression to its value; the dispatcher over all supported nodes."""
    from sfumato.gateway.sql.predicates import MEANINGS, as_value, truth

    # Look-ups are by exact type: a subclass of a supported node
    # may mean something else and is refused until it is listed.
    meaning = VALUES.get(type(node))
    if meaning is not None:
        return meaning(node, scope)
    if type(node) in MEANINGS:
        return as_value(truth(node, scope))
    if type(node) in FUNCTIONS:
        return _function(node, scope)
    from sfumato.gateway.sql.aggregates import AGGREGATES, aggregate
    from sfumato.gateway.sql.windows import WINDOW_ONLY

    if type(node) in AGGREGATES:
        return aggregate(node, scope)
    if type(node) in WINDOW_ONLY:
        raise StatementError(f"{type(node).__name__} needs OVER (...).")
    raise unsupported_node(node)


def scalar(node: Sql, scope: Scope, what: str) -> Scalar:
    """Compile an expression that must be a scalar of a certain kind; `what` names the operation in a refusal."""
    found = value(node, scope)
    if not isinstance(found, Scalar):
        raise unsupported_on_masked(what)
    return found


def with_collation(sql: Sql, kind: str, scope: Scope) -> Sql:
    """A copy to compare or sort by; texts compare by code point, whatever the locale of the server is."""
    if kind == "text" and scope.engine == "postgres":
        return exp.Collate(this=exp.paren(sql), expression=exp.to_identifier("C", quoted=True))
    return sql.copy()


def _column(node: Sql, scope: Scope) -> Value:
    """A column by its name."""
    demand_only(node, ("this", "table", "db", "catalog"))
    if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
        raise unsupported_node(node)
    return scope.resolve(node)


def _literal(node: Sql, scope: Scope) -> Value:
    """A number or text literal."""
    if node.is_string:
        return Scalar(node.copy(), "text", doubt=Doubt.NONE)
    if "e" in node.this.lower():  # 1e5 is a decimal on one engine and a floating number on the other
        return Scalar(exp.cast(node, "double"), "float", doubt=Doubt.NONE)
    short = len(node.this) <= BIGINT_DIGITS
    return Scalar(node.copy(), "integer" if node.is_int else "decimal", short, doubt=Doubt.NONE)


def _unsupported_literal(node: Sql, scope: Scope) -> Value:
    raise unsupported_literal()


def _null(node: Sql, scope: Scope) -> Value:
    return Scalar(exp.null(), "null", doubt=Doubt.NONE)


def _parameter(node: Sql, scope: Scope) -> Value:
    return Scalar(parameter(node), node.meta.get(KIND, "parameter"), doubt=Doubt.NONE)


def parameter(node: Sql) -> Sql:
    """A parameter by its number, in one form whichever way the parser keeps it."""
    compiled = exp.Parameter(this=exp.Literal.number(parameter_number(node)))
    compiled.meta.update(node.meta)
    return compiled


def _paren(node: Sql, scope: Scope) -> Value:
    if is_bounded_addend(node):
        return _bounded_addend(node, scope)
    inner = value(node.this, scope)
    return inner.held_in(exp.paren(inner.sql)) if isinstance(inner, Scalar) else inner


def _arithmetic(node: Sql, scope: Scope) -> Value:
    demand_only(node, ("this", "expression", "typed", "safe"))
    return binary_operation(type(node), *_sides(node, scope, "arithmetic"))


def _quotient(node: Sql, scope: Scope) -> Value:
    return quotient(*_sides(node, scope, "arithmetic"))


def _remainder(node: Sql, scope: Scope) -> Value:
    return remainder(*_sides(node, scope, "arithmetic"))


def _sides(node: Sql, scope: Scope, what: str) -> tuple[Scalar, Scalar]:
    """Both operands, which must be scalars."""
    return scalar(node.this, scope, what), scalar(node.expression, scope, what)


def _negative_sign(node: Sql, scope: Scope) -> Value:
    """A number or range with the opposite sign; the bounds of a range change places."""
    inner = value(node.this, scope)
    if isinstance(inner, Range):
        demand_family((inner.kind,), "number", "a sign")
        low, high = (exp.Neg(this=exp.paren(bound)) for bound in reversed(inner.shared_parts))
        return Range(low, high, inner.kind, doubt=inner.doubt)
    return negative_number(scalar(node.this, scope, "a sign"))


def _concatenation(node: Sql, scope: Scope) -> Value:
    demand_only(node, ("this", "expression", "safe"))
    return concatenation(*_sides(node, scope, "||"))


def _cast(node: Sql, scope: Scope) -> Value:
    demand_only(node, ("this", "to", "safe"))
    return cast_to(scalar(node.this, scope, "CAST"), node.args["to"])


def _case(node: Sql, scope: Scope) -> Value:
    """CASE; its value is unknown, and so NULL, where a condition is neither certainly true nor certainly false."""
    from sfumato.gateway.sql.predicates import comparison, truth

    demand_only(node, ("this", "ifs", "default"))
    subject = None if node.this is None else value(node.this, scope)
    branches: list[tuple[Sql, Value]] = []
    for branch in node.args["ifs"]:
        # CASE x WHEN y is CASE WHEN x = y.
        found = (
            truth(branch.this, scope)
            if subject is None
            else comparison(exp.EQ, subject, value(branch.this, scope), scope)
        )
        branches.append((found.true, value(branch.args["true"], scope)))
        if found.exact is None:
            if found.false is None:
                raise unsupported_on_masked("CASE on a condition that is never certainly false")
            # This branch comes after the one for certainly true. It matches where
            # the condition is not certainly false either, and stops the search
            # there: a later branch or ELSE would claim that the condition is false.
            unknown = negation(exp.func("COALESCE", found.false.copy(), exp.false()))
            branches.append((unknown, Scalar(exp.null(), "null", doubt=Doubt.ABSENCE)))
    default = node.args.get("default")
    last: Value = Scalar(exp.null(), "null", doubt=Doubt.NONE) if default is None else value(default, scope)
    return case_value(branches, last)


def case_value(branches: Sequence[tuple[Sql, Value]], last: Value) -> Value:
    """CASE WHEN over values of any form: one CASE for each flat column."""
    values = [*(one for _, one in branches), last]
    compiled = [
        _switch([(test, part(one, place)) for test, one in branches], part(last, place))
        for place, part in enumerate(_part_getters(values))
    ]
    return value_from_parts(values, compiled)


def _switch(branches: Sequence[tuple[Sql, Sql]], last: Sql) -> Sql:
    """CASE WHEN in SQL."""
    return exp.Case(ifs=[exp.If(this=test.copy(), true=result) for test, result in branches], default=last)


def _part_getters(values: Sequence[Value]) -> list[Callable[[Value, int], Sql]]:
    """One function for each flat column of the common form of these values; it returns that part of a value."""
    if any(isinstance(one, Range) for one in values) and any(isinstance(one, WeakerText) for one in values):
        raise unsupported_on_masked("mixing numbers and texts")
    if any(isinstance(one, Range) for one in values):
        return [_bound, _bound]
    if any(isinstance(one, WeakerText) for one in values):
        # A scalar is an exact text; only the literal NULL has no exactness, as a hidden value.
        return [_bound, lambda one, place: is_exact(one) if not _is_null(one) else exp.null()]
    return [_bound]


def _bound(one: Value, place: int) -> Sql:
    """The part at this place; a scalar stands for both bounds of a range."""
    parts = one.shared_parts
    return parts[min(place, len(parts) - 1)].copy()


def _is_null(one: Value) -> bool:
    """Whether it is the literal NULL."""
    return isinstance(one, Scalar) and isinstance(one.sql, exp.Null)


def value_from_parts(values: Sequence[Value], parts: Sequence[Sql]) -> Value:
    """A value in the common form of these values, from its parts."""
    kind = common_kind([one.kind for one in values], "a column")
    doubt = Doubt.of(*values)
    if any(isinstance(one, Range) for one in values):
        # A value that comes unchanged from one column keeps the type bounds of that column; a mixture has none.
        columns = {one.column for one in values if isinstance(one, Range)}
        return Range(parts[0], parts[1], kind, columns.pop() if len(columns) == 1 else None, doubt=doubt)
    if any(isinstance(one, WeakerText) for one in values):
        return WeakerText(parts[0], parts[1], doubt=doubt)
    fits_64_bits = kind == "integer" and all(
        one.fits_64_bits or one.kind == "null" for one in values if isinstance(one, Scalar)
    )
    return Scalar(parts[0], kind, fits_64_bits, doubt=doubt)


def aligned_parts(values: Sequence[Value]) -> list[list[Sql]]:
    """The parts of values that share one output column, the same number for each value."""
    getters = _part_getters(values)
    return [[get(one, place) for place, get in enumerate(getters)] for one in values]


def _function(node: Sql, scope: Scope) -> Value:
    """A call of a supported function on scalars.

    If an argument may be hidden and the function is not strict (COALESCE, NULLIF, GREATEST), the true value may be
    another one: the function takes what is hidden for missing.
    """
    function = FUNCTIONS[type(node)]
    demand_only(node, function.arguments)
    # Not a copy of the call: that would copy its arguments as they are written, level by level.
    keywords = {name: node.args[name] for name in function.names if name in node.args}
    compiled = type(node)(**{name: one.copy() if isinstance(one, Sql) else one for name, one in keywords.items()})
    arguments: list[Scalar] = []
    for name in function.values:
        given = node.args.get(name)
        if given is None:
            continue
        found = [scalar(one, scope, node.key.upper()) for one in (given if isinstance(given, list) else [given])]
        arguments.extend(found)
        sqls = [with_collation(one.sql, one.sorts_as if function.sorts else "other", scope) for one in found]
        compiled.set(name, sqls if isinstance(given, list) else sqls[0])
    doubt = Doubt.of(*arguments)
    sql, kind = function.compile(compiled, [one.kind for one in arguments])
    return Scalar(sql, kind, doubt=Doubt.PRESENCE if doubt and not function.strict else doubt)


def _accessor(node: Sql, scope: Scope) -> Value:
    """lo(x), hi(x), exact(x): the bounds of a weaker number, and a value only where it is exact."""
    name = node.name.lower()
    if name not in ACCESSORS or len(node.expressions) != 1:
        raise unsupported_node(node)
    inner = value(node.expressions[0], scope)
    if isinstance(inner, Scalar):
        return inner
    unscaled_decimals = isinstance(inner, Range) and inner.unscaled_decimals and scope.engine == "postgres"
    kind = "number" if unscaled_decimals else inner.kind
    if name == "exact":
        # NULL here may mean "not exact", so the result is hideable even if the column is never missing.
        shown = exp.Case().when(is_exact(inner), inner.parts[0])
        return Scalar(shown, kind, doubt=max(inner.doubt, Doubt.ABSENCE))
    if isinstance(inner, WeakerText):
        raise StatementError("lo and hi take numbers and dates; use exact(column) for a text.")
    return Scalar(inner.parts[0 if name == "lo" else 1], kind, doubt=inner.doubt)


def _bounded_addend(node: Sql, scope: Scope) -> Value:
    """The argument of an audited sum, clamped to the bounds of its column type."""
    inner = value(node.this, scope)
    if isinstance(inner, WeakerText) or inner.column is None:
        return inner
    kind = inner.column.type
    return inner.held_in(*(bounded_addend(part, kind, scope.engine) for part in inner.shared_parts))


def _subquery(node: Sql, scope: Scope) -> Value:
    from sfumato.gateway.sql.subqueries import scalar_subquery

    return scalar_subquery(node, scope)


def _window(node: Sql, scope: Scope) -> Value:
    from sfumato.gateway.sql.windows import window_function

    return window_function(node, scope)


def _filtered(node: Sql, scope: Scope) -> Value:
    from sfumato.gateway.sql.aggregates import filtered_aggregate

    return filtered_aggregate(node, scope)


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
    exp.Div: _quotient,
    exp.Mod: _remainder,
    exp.Neg: _negative_sign,
    exp.DPipe: _concatenation,
    exp.Cast: _cast,
    exp.Case: _case,
    exp.Anonymous: _accessor,
    exp.Subquery: _subquery,
    exp.Window: _window,
    exp.Filter: _filtered,
    **dict.fromkeys(
        (exp.BitString, exp.ByteString, exp.HexString, exp.National, exp.RawString, exp.UnicodeString, exp.Heredoc),
        _unsupported_literal,
    ),
}
"""All supported nodes that are values, besides functions and aggregates."""
