"""Sorting and limiting whole answers, in the same order on every engine."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.casts import MANY_DIGITS
from sfumato.gateway.sql.expressions import built, parameter
from sfumato.gateway.sql.failures import after_all
from sfumato.gateway.sql.literals import MOST_DIGITS, WHOLE_DIGITS
from sfumato.gateway.sql.names import Scope, folded
from sfumato.gateway.sql.outputs import Output
from sfumato.gateway.sql.reading import KIND
from sfumato.gateway.sql.supported_nodes import demand_only, not_understood
from sfumato.gateway.sql.tie_breaks import constant, settled, sorted_by
from sfumato.gateway.sql.values import Plain, Value

Sql = exp.Expr
_ANSWER = "answer"
_TYPES = {"integer": "BIGINT", "decimal": MANY_DIGITS, "text": "TEXT", "boolean": "BOOLEAN", "null": "INT"}


def sort_keys(one: Sql, found: Value, scope: Scope) -> list[Sql]:
    """What ORDER BY value becomes."""
    if not isinstance(one, exp.Ordered):
        raise not_understood(one)
    kind = found.sorts_as if isinstance(found, Plain) else found.kind
    return [
        sorted_by(one, Plain(part, kind if place == 0 else "other"), scope)
        for place, part in enumerate(found.parts)
        if not constant(part)
    ]


def no_ordinal(part: Sql, kind: str) -> Sql:
    """The value itself: a number that is written out would mean the column with that number."""
    inner = part
    while isinstance(inner, exp.Paren | exp.Neg):
        inner = inner.this
    if not isinstance(inner, exp.Literal | exp.Boolean | exp.Null) or kind not in _TYPES:
        return part
    wide = kind == "integer" and len(inner.name) > WHOLE_DIGITS
    return exp.cast(part, f"DECIMAL({MOST_DIGITS}, 0)" if wide else _TYPES[kind])


def named_output(one: Sql, outputs: Sequence[Output], engine: str) -> Output:
    """The column of an answer that a sort key of UNION names, by name or place."""
    node = one.this
    if isinstance(node, exp.Literal) and node.is_int and 1 <= int(node.this) <= len(outputs):
        return outputs[int(node.this) - 1]
    name = folded(node.this, engine) if isinstance(node, exp.Column) and not node.args.get("table") else None
    for output in outputs:
        if output.name == name:
            return output
    raise StatementError("UNION is sorted by columns of its answer, by name or number.")


def sorted_answer(
    made: exp.Query, outputs: Sequence[Output], keys: Sequence[tuple[Sql, Output]], scope: Scope, *, whole: bool
) -> exp.Select:
    """All rows of a question, sorted by columns of it; then, if their order is to be a `whole` one, by all others.

    It is sorted from outside, because PostgreSQL sorts what DISTINCT and UNION leave by bare columns alone, and texts
    would go by the server's language.
    """
    flat = [(place, number) for place, output in enumerate(outputs) for number in range(len(output.names))]
    columns = {key: exp.column(f"c{at}", table=_ANSWER, quoted=True) for at, key in enumerate(flat)}
    names = [exp.to_identifier(column.name, quoted=True) for column in columns.values()]
    rows = exp.Subquery(this=made, alias=exp.TableAlias(this=exp.to_identifier(_ANSWER, quoted=True), columns=names))
    chosen = [exp.alias_(columns[key], outputs[key[0]].names[key[1]], quoted=True) for key in flat]
    seen = [
        built([output.value], [columns[place, number].copy() for number in range(len(output.names))])
        for place, output in enumerate(outputs)
    ]
    places = [next(at for at, each in enumerate(outputs) if each is output) for _, output in keys]
    order = [key for (one, _), place in zip(keys, places, strict=True) for key in sort_keys(one, seen[place], scope)]
    order = settled(order, seen, scope) if whole else order
    first = [after_all()] if whole and scope.can_fail else []
    return exp.select(*chosen).from_(rows).order_by(*first, *order)


def is_limited(node: Sql) -> bool:
    """Whether a question has LIMIT or OFFSET, so that it depends on its order which rows there are."""
    return node.args.get("limit") is not None or node.args.get("offset") is not None


def limited(node: Sql, made: Sql) -> None:
    """LIMIT and OFFSET."""
    for name, kind in (("limit", exp.Limit), ("offset", exp.Offset)):
        given = node.args.get(name)
        if given is None:
            continue
        if isinstance(given, exp.Fetch):
            raise StatementError("FETCH is not understood; write LIMIT.")
        demand_only(given, ("expression",))
        number = given.expression
        if isinstance(number, exp.Parameter | exp.Placeholder) and number.meta.get(KIND, "integer") == "integer":
            number = parameter(number)
        elif not (isinstance(number, exp.Literal) and number.is_int and len(number.name) <= WHOLE_DIGITS):
            raise StatementError(f"{name.upper()} is followed by a whole number of at most {WHOLE_DIGITS} digits.")
        made.set(name, kind(expression=number.copy()))
