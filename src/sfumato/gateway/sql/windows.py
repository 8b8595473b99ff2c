"""Windows: functions OVER the rows around a row, in an order that is decided by what is seen of the rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.aggregates import AGGREGATES, added_by_order, aggregated, each, filtered
from sfumato.gateway.sql.casts import MANY_DIGITS
from sfumato.gateway.sql.expressions import plain, value
from sfumato.gateway.sql.frames import demand_frame, unit_of
from sfumato.gateway.sql.kinds import together
from sfumato.gateway.sql.names import Scope
from sfumato.gateway.sql.placement import demand_no_windows
from sfumato.gateway.sql.supported_nodes import demand_only, not_understood
from sfumato.gateway.sql.tie_breaks import constant, settled, sorted_by
from sfumato.gateway.sql.values import Plain, Value

Sql = exp.Expr

WINDOW_ONLY: dict[type[Sql], tuple[str, ...]] = {
    exp.RowNumber: (),
    exp.Rank: (),
    exp.DenseRank: (),
    exp.PercentRank: (),
    exp.CumeDist: (),
    exp.Ntile: ("this",),
    exp.Lag: ("this", "offset", "default"),
    exp.Lead: ("this", "offset", "default"),
    exp.FirstValue: ("this",),
    exp.LastValue: ("this",),
}
"""What is understood with OVER alone, and its arguments."""

Ties = Literal["alike", "told apart", "among alike"]
"""What becomes of rows that a window sorts alike: they stay so; other columns decide between them; or one of them is
chosen, by other columns."""

_RANKS = (exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist)
_PLACES = (exp.RowNumber, exp.Ntile, exp.Lag, exp.Lead)
_VALUES = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue)
_ENDS = {exp.FirstValue: "start", exp.LastValue: "end"}
_TYPES = {
    "integer": "BIGINT", "decimal": MANY_DIGITS, "number": MANY_DIGITS, "float": "DOUBLE", "text": "TEXT",
    "date": "DATE", "timestamp": "TIMESTAMP", "boolean": "BOOLEAN",
}  # fmt: skip
_MOST_DIGITS = 9
_DEFAULT = {"start": "UNBOUNDED", "end": "CURRENT ROW"}
_TIES = "sfumato.ties"
_WHOLE = {
    "kind": "ROWS",
    "start": "UNBOUNDED",
    "start_side": "PRECEDING",
    "end": "UNBOUNDED",
    "end_side": "FOLLOWING",
}


def windowed(node: Sql, scope: Scope) -> Value:
    """A function OVER a window; what sorts rows in it must be known."""
    demand_only(node, ("this", "partition_by", "order", "spec", "over"))
    over = node.args.get("over")
    if over is not None and str(over).upper() != "OVER":
        raise not_understood(node)
    parts = [part for one in node.args.get("partition_by") or () for part in value(one, scope).parts]
    given = _given(node)
    sorting = [plain(one.this, scope, "sorting in a window") for one in given]
    for part in [*parts, *(one.sql for one in sorting)]:
        demand_no_windows(part, "a window")
    keys = [sorted_by(one, found, scope) for one, found in zip(given, sorting, strict=True)]
    spec = node.args.get("spec")
    if spec is not None:
        demand_frame(spec, sorting)
    ties = _ties(node.this, spec)
    scope.windows = True

    def over_window(part: Sql) -> Sql:
        if added_by_order(part) is not None and ties == "alike":
            return _by_value(part, parts, keys)
        made = exp.Window(
            this=part,
            partition_by=[one.copy() for one in parts],
            order=exp.Order(expressions=[key.copy() for key in keys]) if keys else None,
            spec=_frame(node.this, spec),
        )
        made.meta[_TIES] = ties
        return made

    return each(_over(node.this, scope), over_window)


def _by_value(part: Sql, parts: list[Sql], keys: list[Sql]) -> Sql:
    """A sum of floating numbers over all rows of a window, added up from the least to the largest."""
    if keys:
        raise StatementError(
            "a running sum or mean of floating numbers adds up row by row: write ROWS BETWEEN ... after ORDER BY, or "
            "CAST the numbers to DECIMAL."
        )
    key = exp.Ordered(this=added_by_order(part), desc=False, nulls_first=False).copy()
    order = exp.Order(expressions=[key])
    return exp.Window(this=part, partition_by=[one.copy() for one in parts], order=order, spec=exp.WindowSpec(**_WHOLE))


def settle(made: Sql, values: Iterable[Value], scope: Scope) -> None:
    """Let these values decide between rows in every window of a SELECT that is not of a SELECT inside it.

    It is done at the end of the SELECT, when it is known what it reads: rows that are alike in all of that are alike.
    """
    known = list(values)
    for window in list(made.find_all(exp.Window)):
        ties: Ties = window.meta.pop(_TIES, "alike")
        if ties == "alike":
            continue
        given = window.args.get("order")
        keys = [] if given is None else given.expressions
        if ties == "among alike":
            window.set("partition_by", [*(window.args.get("partition_by") or ()), *(key.this for key in keys)])
            keys = []
        order = settled(keys, known, scope)
        window.set("order", exp.Order(expressions=order) if order else None)


def _ties(function: Sql, spec: Sql | None) -> Ties:
    """What must become of ties for the answer to be one that SQL allows, and the same whatever order rows lie in."""
    kind = type(function)
    if kind in _RANKS:
        return "alike"
    if kind in _PLACES or (spec is not None and unit_of(spec) == "ROWS"):
        return "told apart"
    if kind not in _ENDS:
        return "alike"
    ends = _DEFAULT if spec is None else {end: spec.args.get(end) or _DEFAULT[end] for end in _DEFAULT}
    if any(isinstance(reach, Sql) for reach in ends.values()):
        raise StatementError("FIRST_VALUE and LAST_VALUE reach over a number of ROWS, not over a RANGE of values.")
    return "told apart" if ends[_ENDS[kind]] == "UNBOUNDED" else "among alike"


def _given(node: Sql) -> list[exp.Ordered]:
    """What a window sorts by."""
    order = node.args.get("order")
    if order is None:
        return []
    demand_only(order, ("expressions",))
    return [one if isinstance(one, exp.Ordered) else exp.Ordered(this=one) for one in order.expressions]


def _frame(function: Sql, spec: Sql | None) -> Sql | None:
    """The rows that a window reaches over; all of them where its ends are chosen by ORDER BY and PARTITION BY alone."""
    if type(function) in _ENDS and (spec is None or unit_of(spec) != "ROWS"):
        return exp.WindowSpec(**_WHOLE)
    return None if spec is None or type(function) in (*_RANKS, *_PLACES) else spec.copy()


def _over(inner: Sql, scope: Scope) -> Value:
    """What is computed in the window."""
    if isinstance(inner, exp.Filter):
        return filtered(inner, scope, over=True)
    if type(inner) in AGGREGATES:
        return aggregated(inner, scope, over=True)
    if type(inner) not in WINDOW_ONLY:
        raise not_understood(inner)
    demand_only(inner, WINDOW_ONLY[type(inner)])
    if isinstance(inner, exp.Ntile):
        return Plain(exp.Ntile(this=_number(inner, "this", least=1)), "integer")
    if type(inner) in _VALUES:
        return _of_value(inner, scope)
    return Plain(type(inner)(), "float" if isinstance(inner, exp.PercentRank | exp.CumeDist) else "integer")


def _of_value(inner: Sql, scope: Scope) -> Plain:
    """The value of another row; what stands for it where there is none must be of the same type on every engine."""
    name = _name(inner)
    given = {place: inner.args[place] for place in ("this", "default") if inner.args.get(place) is not None}
    found = {place: plain(one, scope, name) for place, one in given.items()}
    for one in found.values():
        demand_no_windows(one.sql, name)
    kind = together([one.kind for one in found.values()], name)
    if kind == "null":
        raise StatementError(f"{name} is of a value, not of NULL.")
    made = type(inner)()
    for place, one in found.items():
        cast = kind in _TYPES and (len(found) > 1 or constant(one.sql))
        made.set(place, exp.cast(one.sql, _TYPES[kind]) if cast else one.sql.copy())
    if inner.args.get("offset") is not None or "default" in found:
        made.set("offset", _number(inner, "offset", least=0))
    hideable = any(one.hideable for one in found.values())
    return Plain(made, "decimal" if len(found) > 1 and kind == "number" else kind, hideable)


def _number(inner: Sql, place: str, *, least: int) -> Sql:
    """A whole number that is written out."""
    given = inner.args.get(place)
    if isinstance(given, exp.Literal) and given.is_int and len(given.name) <= _MOST_DIGITS and int(given.name) >= least:
        return given.copy()
    what = "offset" if place == "offset" else "argument"
    raise StatementError(f"the {what} of {_name(inner)} is a whole number from {least} on, written out.")


def _name(function: Sql) -> str:
    return function.sql_name() if isinstance(function, exp.Func) else function.key.upper()
