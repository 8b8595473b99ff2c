"""Sort keys: those that a question names, and those that decide between rows which it sorts alike.

Where nothing decides, an engine takes rows as they lie in its tables, and that may be the order of a hidden column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from sfumato.gateway.sql.expressions import ordered
from sfumato.gateway.sql.names import Scope
from sfumato.gateway.sql.supported_nodes import demand_only
from sfumato.gateway.sql.values import Plain, Value, Weak

Sql = exp.Expr
_BY_VALUE = {"integer", "float", "decimal", "number", "date", "timestamp", "boolean"}


def sorted_by(one: exp.Ordered, found: Plain, scope: Scope) -> Sql:
    """A sort key of a question; what is missing comes last, or where the question says."""
    demand_only(one, ("this", "desc", "nulls_first"))
    first = bool(one.args.get("nulls_first"))
    return exp.Ordered(this=ordered(found, scope), desc=bool(one.args.get("desc")), nulls_first=first)


def settled(keys: Sequence[Sql], values: Iterable[Value], scope: Scope) -> list[Sql]:
    """Sort keys, and after them those that leave no two rows alike in which one of the values differs."""
    found, known = list(keys), {key.this for key in keys}
    for one in values:
        for key in tie_breaks(one, scope):
            if key not in known:
                known.add(key)
                found.append(exp.Ordered(this=key, desc=False, nulls_first=False))
    return found


def tie_breaks(one: Value, scope: Scope) -> list[Sql]:
    """What a value is sorted by, the same on every engine; two values that are seen to differ differ in it too."""
    if isinstance(one, Plain):
        kinds: tuple[str, ...] = (one.sorts_as,)
    else:
        kinds = ("text", "boolean") if isinstance(one, Weak) else (one.kind, one.kind)
    return [key for part, kind in zip(one.parts, kinds, strict=True) for key in _keys(part, kind, scope)]


def constant(part: Sql) -> bool:
    """Whether it is the same in every row; a number would mean the column in that place, and all else is refused."""
    while isinstance(part, exp.Paren | exp.Neg | exp.Cast):
        part = part.this
    return isinstance(part, exp.Literal | exp.Null | exp.Boolean | exp.Parameter)


def _keys(part: Sql, kind: str, scope: Scope) -> list[Sql]:
    """The value itself where engines sort it alike, and its text where they do not; equal numbers look alike."""
    if constant(part):
        return []
    return [part] if kind in _BY_VALUE else [ordered(Plain(exp.cast(part, "text"), "text"), scope)]
