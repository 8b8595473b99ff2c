"""Windows: functions OVER the rows around a row, in an order that is decided by what is seen of the rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.aggregates import AGGREGATES, aggregated, each, filtered
from sfumato.gateway.sql.expressions import plain, value
from sfumato.gateway.sql.kinds import together
from sfumato.gateway.sql.names import Scope
from sfumato.gateway.sql.tie_breaks import settled, sorted_by
from sfumato.gateway.sql.understood import demand_only, not_understood
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
_ENDS = {exp.FirstValue: "start", exp.LastValue: "end"}
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
    order = node.args.get("order")
    keys = [] if order is None else [_sorted(one, scope) for one in order.expressions]
    spec = node.args.get("spec")
    if spec is not None:
        _demand_frame(spec)
    ties = _ties(node.this, spec)
    scope.windows = True

    def over_window(part: Sql) -> Sql:
        made = exp.Window(
            this=part,
            partition_by=[one.copy() for one in parts],
            order=exp.Order(expressions=[key.copy() for key in keys]) if keys else None,
            spec=_frame(node.this, spec),
        )
        made.meta[_TIES] = ties
        return made

    return each(_over(node.this, scope), over_window)


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
    if kind in _PLACES or (spec is not None and _unit(spec) == "ROWS"):
        return "told apart"
    if kind not in _ENDS:
        return "alike"
    end = _ENDS[kind]
    reach = None if spec is None else spec.args.get(end)
    reach = reach or {"start": "UNBOUNDED", "end": "CURRENT ROW"}[end]
    if reach == "UNBOUNDED":
        return "told apart"
    if reach == "CURRENT ROW":
        return "among alike"
    raise StatementError("FIRST_VALUE and LAST_VALUE reach over a number of ROWS, not over a RANGE of values.")


def _frame(function: Sql, spec: Sql | None) -> Sql | None:
    """The rows that a window reaches over; all of them where its ends are chosen by ORDER BY and PARTITION BY alone."""
    if type(function) in _ENDS and (spec is None or _unit(spec) != "ROWS"):
        return exp.WindowSpec(**_WHOLE)
    return None if spec is None or type(function) in (*_RANKS, *_PLACES) else spec.copy()


def _over(inner: Sql, scope: Scope) -> Value:
    """What is computed in the window."""
    if isinstance(inner, exp.Filter):
        return filtered(inner, scope, over=True)
    if type(inner) in AGGREGATES:
        return aggregated(inner, scope, alone=False, over=True)
    if type(inner) not in WINDOW_ONLY:
        raise not_understood(inner)
    arguments = WINDOW_ONLY[type(inner)]
    demand_only(inner, arguments)
    made, kinds, hideable = type(inner)(), [], False
    for name in arguments:
        given = inner.args.get(name)
        if given is not None:
            found = plain(given, scope, inner.key.upper())
            made.set(name, found.sql.copy())
            hideable = hideable or found.hideable
            kinds += [found.kind] if name != "offset" else []
    if isinstance(inner, exp.Lag | exp.Lead | exp.FirstValue | exp.LastValue):
        return Plain(made, together(kinds, inner.key.upper()), hideable)
    return Plain(made, "float" if isinstance(inner, exp.PercentRank | exp.CumeDist) else "integer")


def _sorted(one: Sql, scope: Scope) -> Sql:
    if not isinstance(one, exp.Ordered):
        raise not_understood(one)
    return sorted_by(one, plain(one.this, scope, "sorting in a window"), scope)


def _unit(spec: Sql) -> str:
    return str(spec.args.get("kind") or "RANGE").upper()


def _demand_frame(spec: Sql) -> None:
    demand_only(spec, ("kind", "start", "start_side", "end", "end_side"))
    for end in ("start", "end"):
        given = spec.args.get(end)
        if isinstance(given, Sql) and not (isinstance(given, exp.Literal) and given.is_int):
            raise StatementError("a window reaches from and to UNBOUNDED, CURRENT ROW or a whole number of rows.")
    if _unit(spec) not in ("ROWS", "RANGE"):
        raise StatementError("a window is of ROWS or RANGE.")
