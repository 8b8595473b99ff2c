"""ORDER BY, LIMIT and OFFSET of whole queries, with the same row order on every engine."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.casts import WIDE_DECIMAL
from sfumato.gateway.sql.expressions import parameter
from sfumato.gateway.sql.failures import full_scan_key
from sfumato.gateway.sql.literals import BIGINT_DIGITS, MAX_DIGITS
from sfumato.gateway.sql.names import Scope, folded_name
from sfumato.gateway.sql.outputs import Output
from sfumato.gateway.sql.reading import KIND
from sfumato.gateway.sql.supported_nodes import demand_only, unsupported_node
from sfumato.gateway.sql.tie_breaks import is_constant, scalar_sort_key, with_tie_breaks
from sfumato.gateway.sql.values import Scalar, Value

Sql = exp.Expr
_ANSWER = "answer"
"""The alias of a query that is sorted from outside."""

_TYPES = {"integer": "BIGINT", "decimal": WIDE_DECIMAL, "text": "TEXT", "boolean": "BOOLEAN", "null": "INT"}
"""The type that a literal sort key is cast to, by its kind."""


def value_sort_keys(one: Sql, found: Value, scope: Scope) -> list[Sql]:
    """The sort keys that ORDER BY of this value becomes: one for each of its columns that is not constant."""
    if not isinstance(one, exp.Ordered):
        raise unsupported_node(one)
    kind = found.sorts_as if isinstance(found, Scalar) else found.kind
    return [
        # The second flat column of a weaker text is a boolean, so the kind of the value does not apply to it.
        scalar_sort_key(one, part, kind if place == 0 else "other", scope)
        for place, part in enumerate(found.parts)
        if not is_constant(part)
    ]


def without_ordinals(part: Sql, kind: str) -> Sql:
    """The expression with a bare literal cast to its type: a bare number would mean a column by its position."""
    inner = part
    while isinstance(inner, exp.Paren | exp.Neg):
        inner = inner.this
    if not isinstance(inner, exp.Literal | exp.Boolean | exp.Null) or kind not in _TYPES:
        return part
    wide = kind == "integer" and len(inner.name) > BIGINT_DIGITS
    return exp.cast(part, f"DECIMAL({MAX_DIGITS}, 0)" if wide else _TYPES[kind])


def named_output(one: Sql, outputs: Sequence[Output], engine: str) -> Output:
    """The output column that ORDER BY of a UNION refers to, by name or position."""
    node = one.this
    if isinstance(node, exp.Literal) and node.is_int and 1 <= int(node.this) <= len(outputs):
        return outputs[int(node.this) - 1]
    name = folded_name(node.this, engine) if isinstance(node, exp.Column) and not node.args.get("table") else None
    for output in outputs:
        if output.name == name:
            return output
    raise StatementError("UNION is sorted by columns of its answer, by name or number.")


def sort_rows(
    query: exp.Query, outputs: Sequence[Output], keys: Sequence[tuple[Sql, Output]], scope: Scope, *, total_order: bool
) -> exp.Select:
    """Sort the rows of a query by some of its columns and, for a `total_order`, then by all the others.

    The query becomes a subquery that is sorted from outside: PostgreSQL sorts the result of DISTINCT and UNION by bare
    column names only, and then texts would be sorted by the collation of the server.
    """
    flat = [(place, number) for place, output in enumerate(outputs) for number in range(len(output.names))]
    columns = {key: exp.column(f"c{at}", table=_ANSWER, quoted=True) for at, key in enumerate(flat)}
    names = [exp.to_identifier(column.name, quoted=True) for column in columns.values()]
    rows = exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(_ANSWER, quoted=True), columns=names))
    chosen = [exp.alias_(columns[key], outputs[key[0]].names[key[1]], quoted=True) for key in flat]
    seen = [
        output.value.held_in(*(columns[place, number].copy() for number in range(len(output.names))))
        for place, output in enumerate(outputs)
    ]
    # By identity, because two outputs may have the same name and value.
    places = [next(at for at, each in enumerate(outputs) if each is output) for _, output in keys]
    order = [
        key for (one, _), place in zip(keys, places, strict=True) for key in value_sort_keys(one, seen[place], scope)
    ]
    order = with_tie_breaks(order, seen, scope) if total_order else order
    first = [full_scan_key()] if total_order and scope.can_fail else []
    return exp.select(*chosen).from_(rows).order_by(*first, *order)


def is_limited(node: Sql) -> bool:
    """Whether a query has LIMIT or OFFSET, so that its order decides which rows it returns."""
    return node.args.get("limit") is not None or node.args.get("offset") is not None


def apply_limits(node: Sql, query: Sql) -> None:
    """Copy LIMIT and OFFSET to the compiled query; each is an integer literal or parameter."""
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
        elif not (isinstance(number, exp.Literal) and number.is_int and len(number.name) <= BIGINT_DIGITS):
            raise StatementError(f"{name.upper()} is followed by a whole number of at most {BIGINT_DIGITS} digits.")
        query.set(name, kind(expression=number.copy()))
