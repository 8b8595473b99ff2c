"""Window functions: functions OVER the rows around a row, in an order that only visible values decide."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.aggregates import (
    AGGREGATES,
    aggregate,
    filtered_aggregate,
    map_aggregates,
    order_dependent_argument,
)
from sfumato.gateway.sql.casts import WIDE_DECIMAL
from sfumato.gateway.sql.expressions import scalar, value
from sfumato.gateway.sql.frames import demand_frame, unit_of
from sfumato.gateway.sql.kinds import common_kind
from sfumato.gateway.sql.names import Scope
from sfumato.gateway.sql.placement import demand_no_windows
from sfumato.gateway.sql.supported_nodes import demand_only, unsupported_node
from sfumato.gateway.sql.tie_breaks import is_constant, scalar_sort_key, with_tie_breaks
from sfumato.gateway.sql.values import Doubt, Scalar, Value, always_exact

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
"""Functions that are supported only with OVER, and their arguments."""

Ties = Literal["kept", "broken", "broken among peers"]
"""How ties within a window are treated: kept, where the function gives all peers the same value; broken by further
columns; or broken among peers, where the function picks one row of several peers."""

_RANK_FUNCTIONS = (exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist)
"""Give tied rows the same value."""

_POSITION_FUNCTIONS = (exp.RowNumber, exp.Ntile, exp.Lag, exp.Lead)
"""Depend on the exact position of a row."""

_VALUE_FUNCTIONS = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue)
"""Return a value of another row."""

_FRAME_ENDS = {exp.FirstValue: "start", exp.LastValue: "end"}
"""The end of the frame at which each function takes its value."""

_TYPES = {
    "integer": "BIGINT", "decimal": WIDE_DECIMAL, "number": WIDE_DECIMAL, "float": "DOUBLE", "text": "TEXT",
    "date": "DATE", "timestamp": "TIMESTAMP", "boolean": "BOOLEAN",
}  # fmt: skip
_MAX_DIGITS = 9
_DEFAULT_FRAME = {"start": "UNBOUNDED", "end": "CURRENT ROW"}
"""The frame of a window that has ORDER BY and no frame of its own."""

_TIES = "sfumato.ties"
"""The key under which a window node keeps how its ties are treated, until `break_ties` reads it."""

_WHOLE_PARTITION = {
    "kind": "ROWS",
    "start": "UNBOUNDED",
    "start_side": "PRECEDING",
    "end": "UNBOUNDED",
    "end_side": "FOLLOWING",
}


def window_function(node: Sql, scope: Scope) -> Value:
    """Compile a function OVER a window; the values that order the window must be scalars, not ranges.

    The presence of the result is in doubt if hidden or weaker values, or missing rows, decide which rows are around a
    row.
    """
    demand_only(node, ("this", "partition_by", "order", "spec", "over"))
    over = node.args.get("over")
    if over is not None and str(over).upper() != "OVER":
        raise unsupported_node(node)
    partition = [value(one, scope) for one in node.args.get("partition_by") or ()]
    parts = [part for one in partition for part in one.parts]
    given = _sort_items(node)
    sorting = [scalar(one.this, scope, "sorting in a window") for one in given]
    for part in [*parts, *(one.sql for one in sorting)]:
        demand_no_windows(part, "a window")
        _demand_no_window_within(part, scope)
    keys = [scalar_sort_key(one, found.sql, found.kind, scope) for one, found in zip(given, sorting, strict=True)]
    spec = node.args.get("spec")
    if spec is not None:
        demand_frame(spec, sorting)
    # The columns that break ties are known only when the SELECT is complete,
    # so the treatment is stored at the node and `break_ties` applies it.
    ties = _ties(node.this, spec)
    scope.windows = True

    def over_window(part: Sql) -> Sql:
        if order_dependent_argument(part) is not None and ties == "kept":
            return _sum_in_value_order(part, parts, keys)
        window = exp.Window(
            this=part,
            partition_by=[one.copy() for one in parts],
            order=exp.Order(expressions=[key.copy() for key in keys]) if keys else None,
            spec=_frame(node.this, spec),
        )
        window.meta[_TIES] = ties
        return window

    exact = not scope.doubt and all(map(always_exact, (*partition, *sorting)))
    rows = Doubt.NONE if exact else Doubt.PRESENCE
    return map_aggregates(_window_operand(node.this, scope, rows), over_window).doubted(rows)


def _demand_no_window_within(part: Sql, scope: Scope) -> None:
    """Refuse a window in a query inside PARTITION BY or ORDER BY of another window, which DuckDB does not accept.

    An IN query gets such a window where a value may make the query fail, so that all its rows are evaluated.
    """
    if scope.engine == "duckdb" and part.find(exp.Window) is not None:
        raise StatementError(
            "a window cannot be sorted or divided by this query, which needs a window of its own; compute it in a "
            "query inside FROM."
        )


def _sum_in_value_order(part: Sql, parts: list[Sql], keys: list[Sql]) -> Sql:
    """A sum of floating numbers over a whole partition, added up from the smallest to the largest.

    Floating addition is not associative, so that the storage order would show in the last digits of the sum.
    """
    if keys:
        raise StatementError(
            "a running sum or mean of floating numbers adds up row by row: write ROWS BETWEEN ... after ORDER BY, or "
            "CAST the numbers to DECIMAL."
        )
    key = exp.Ordered(this=order_dependent_argument(part), desc=False, nulls_first=False).copy()
    order = exp.Order(expressions=[key])
    return exp.Window(
        this=part, partition_by=[one.copy() for one in parts], order=order, spec=exp.WindowSpec(**_WHOLE_PARTITION)
    )


def break_ties(select: Sql, values: Iterable[Value], scope: Scope) -> None:
    """Add these values as tie breaks to every window of a SELECT, without the queries nested in it.

    This runs when the SELECT is complete, since only then the columns that it reads are known: rows that agree in all
    of them are indistinguishable, and their order does not matter.
    """
    deciding = list(values)
    for window in list(select.find_all(exp.Window)):
        ties: Ties = window.meta.pop(_TIES, "kept")
        if ties == "kept":
            continue
        given = window.args.get("order")
        keys = [] if given is None else given.expressions
        # With the sort keys in PARTITION BY, a partition is one set of peers, and the tie breaks order the rows
        # within it. The frame of such a window is the whole partition (`_frame`).
        if ties == "broken among peers":
            window.set("partition_by", [*(window.args.get("partition_by") or ()), *(key.this for key in keys)])
            keys = []
        order = with_tie_breaks(keys, deciding, scope)
        for key in order:
            _demand_no_window_within(key, scope)
        window.set("order", exp.Order(expressions=order) if order else None)


def _ties(function: Sql, spec: Sql | None) -> Ties:
    """The treatment of ties that makes the result valid SQL and independent of storage order."""
    kind = type(function)
    if kind in _RANK_FUNCTIONS:
        return "kept"
    if kind in _POSITION_FUNCTIONS or (spec is not None and unit_of(spec) == "ROWS"):
        return "broken"
    if kind not in _FRAME_ENDS:
        return "kept"
    ends = (
        _DEFAULT_FRAME if spec is None else {end: spec.args.get(end) or _DEFAULT_FRAME[end] for end in _DEFAULT_FRAME}
    )
    if any(isinstance(reach, Sql) for reach in ends.values()):
        raise StatementError("FIRST_VALUE and LAST_VALUE reach over a number of ROWS, not over a RANGE of values.")
    return "broken" if ends[_FRAME_ENDS[kind]] == "UNBOUNDED" else "broken among peers"


def _sort_items(node: Sql) -> list[exp.Ordered]:
    """The items of ORDER BY in a window."""
    order = node.args.get("order")
    if order is None:
        return []
    demand_only(order, ("expressions",))
    return [one if isinstance(one, exp.Ordered) else exp.Ordered(this=one) for one in order.expressions]


def _frame(function: Sql, spec: Sql | None) -> Sql | None:
    """The frame of the compiled window; the whole partition for functions that pick one end of the partition."""
    if type(function) in _FRAME_ENDS and (spec is None or unit_of(spec) != "ROWS"):
        return exp.WindowSpec(**_WHOLE_PARTITION)
    return None if spec is None or type(function) in (*_RANK_FUNCTIONS, *_POSITION_FUNCTIONS) else spec.copy()


def _window_operand(inner: Sql, scope: Scope, rows: Doubt) -> Value:
    """Compile the function that is applied over the window; `rows` is the doubt about which rows it has."""
    if isinstance(inner, exp.Filter):
        return filtered_aggregate(inner, scope, over=True, rows=rows)
    if type(inner) in AGGREGATES:
        return aggregate(inner, scope, over=True, rows=rows)
    if type(inner) not in WINDOW_ONLY:
        raise unsupported_node(inner)
    demand_only(inner, WINDOW_ONLY[type(inner)])
    if isinstance(inner, exp.Ntile):
        return Scalar(exp.Ntile(this=_integer_argument(inner, "this", least=1)), "integer", doubt=rows)
    if type(inner) in _VALUE_FUNCTIONS:
        return _value_of_other_row(inner, scope)
    kind = "float" if isinstance(inner, exp.PercentRank | exp.CumeDist) else "integer"
    return Scalar(type(inner)(), kind, doubt=rows)


def _value_of_other_row(inner: Sql, scope: Scope) -> Scalar:
    """LAG, LEAD, FIRST_VALUE or LAST_VALUE; value and default are cast, to be of one type on every engine."""
    name = _name(inner)
    given = {place: inner.args[place] for place in ("this", "default") if inner.args.get(place) is not None}
    found = {place: scalar(one, scope, name) for place, one in given.items()}
    for one in found.values():
        demand_no_windows(one.sql, name)
    kind = common_kind([one.kind for one in found.values()], name)
    if kind == "null":
        raise StatementError(f"{name} needs a value that is not NULL.")
    call = type(inner)()
    for place, one in found.items():
        # A literal alone has no column type, and a default may have another type than the value.
        cast = kind in _TYPES and (len(found) > 1 or is_constant(one.sql))
        call.set(place, exp.cast(one.sql, _TYPES[kind]) if cast else one.sql.copy())
    if inner.args.get("offset") is not None or "default" in found:
        call.set("offset", _integer_argument(inner, "offset", least=0))
    kind = "decimal" if len(found) > 1 and kind == "number" else kind
    return Scalar(call, kind, doubt=Doubt.of(*found.values()))


def _integer_argument(inner: Sql, place: str, *, least: int) -> Sql:
    """A literal integer argument."""
    given = inner.args.get(place)
    if isinstance(given, exp.Literal) and given.is_int and len(given.name) <= _MAX_DIGITS and int(given.name) >= least:
        return given.copy()
    what = "offset" if place == "offset" else "argument"
    raise StatementError(f"the {what} of {_name(inner)} is a literal whole number of at least {least}.")


def _name(function: Sql) -> str:
    return function.sql_name() if isinstance(function, exp.Func) else function.key.upper()
