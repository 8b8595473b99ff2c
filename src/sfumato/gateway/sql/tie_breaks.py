"""Sort keys of a query, and the further keys that decide between rows which it sorts equally.

Without a deciding key an engine returns tied rows in storage order, and that may be the order of a hidden column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from sfumato.gateway.sql.expression_size import count_built
from sfumato.gateway.sql.expressions import with_collation
from sfumato.gateway.sql.names import Scope
from sfumato.gateway.sql.supported_nodes import demand_only
from sfumato.gateway.sql.values import Scalar, Value, WeakerText

Sql = exp.Expr
_BY_VALUE = {"integer", "float", "decimal", "number", "date", "timestamp", "boolean"}
"""Kinds that both engines sort equally by their value; all others are sorted by their text."""


def scalar_sort_key(one: exp.Ordered, part: Sql, kind: str, scope: Scope) -> Sql:
    """One item of ORDER BY as a sort key; NULL comes last unless the query says otherwise."""
    demand_only(one, ("this", "desc", "nulls_first"))
    first = bool(one.args.get("nulls_first"))
    return exp.Ordered(this=with_collation(part, kind, scope), desc=bool(one.args.get("desc")), nulls_first=first)


def with_tie_breaks(keys: Sequence[Sql], values: Iterable[Value], scope: Scope) -> list[Sql]:
    """The sort keys, followed by keys that distinguish any two rows in which one of the values differs."""
    # A column that is a sort key already needs no tie break; trees compare by content.
    found, used = list(keys), {key.this for key in keys}
    for one in values:
        for key in tie_breaks(one, scope):
            if key not in used:
                used.add(key)
                found.append(exp.Ordered(this=key, desc=False, nulls_first=False))
                count_built(found[-1])
    return found


def tie_breaks(one: Value, scope: Scope) -> list[Sql]:
    """Keys that sort a value equally on every engine; two values that look different differ in at least one of them."""
    if isinstance(one, Scalar):
        kinds: tuple[str, ...] = (one.sorts_as,)
    else:
        kinds = ("text", "boolean") if isinstance(one, WeakerText) else (one.kind, one.kind)
    return [key for part, kind in zip(one.parts, kinds, strict=True) for key in _keys(part, kind, scope)]


def is_constant(part: Sql) -> bool:
    """Whether an expression is the same in every row; as a sort key a number would mean a column position."""
    while isinstance(part, exp.Paren | exp.Neg | exp.Cast):
        part = part.this
    return isinstance(part, exp.Literal | exp.Null | exp.Boolean | exp.Parameter)


def _keys(part: Sql, kind: str, scope: Scope) -> list[Sql]:
    """The value itself where the engines sort it equally, else its text; equal numbers have equal texts."""
    if is_constant(part):
        return []
    return [part] if kind in _BY_VALUE else [with_collation(exp.cast(part, "text"), "text", scope)]
