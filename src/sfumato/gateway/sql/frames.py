"""Frames of windows: from which row to which a window reaches."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.kinds import NUMBERS
from sfumato.gateway.sql.literals import WHOLE_DIGITS
from sfumato.gateway.sql.supported_nodes import demand_only
from sfumato.gateway.sql.values import Plain

Sql = exp.Expr
_REACHES = {
    "UNBOUNDED PRECEDING": 0, "SOME PRECEDING": 1, "CURRENT ROW": 2, "SOME FOLLOWING": 3, "UNBOUNDED FOLLOWING": 4,
}  # fmt: skip


def unit_of(spec: Sql) -> str:
    """ROWS or RANGE."""
    return str(spec.args.get("kind") or "RANGE").upper()


def demand_frame(spec: Sql, sorting: Sequence[Plain]) -> None:
    """Refuse a frame that an engine would refuse, or understand in another way than the other one."""
    demand_only(spec, ("kind", "start", "start_side", "end", "end_side"))
    if unit_of(spec) not in ("ROWS", "RANGE"):
        raise StatementError("a window is of ROWS or RANGE.")
    start, end = (_reach(spec, name) for name in ("start", "end"))
    if start > end or start == _REACHES["UNBOUNDED FOLLOWING"] or end == _REACHES["UNBOUNDED PRECEDING"]:
        raise StatementError("a window reaches from a row to one that does not come before it.")
    numbers = any(isinstance(spec.args.get(name), exp.Literal) for name in ("start", "end"))
    if unit_of(spec) == "RANGE" and numbers and not (len(sorting) == 1 and sorting[0].kind in NUMBERS):
        raise StatementError("a RANGE from or to a number needs ORDER BY of one number.")


def _reach(spec: Sql, name: str) -> int:
    """How far a window reaches at one end, from 0 for its first row to 4 for its last."""
    given = spec.args.get(name) or "CURRENT ROW"
    if isinstance(given, exp.Literal) and given.is_int and len(given.name) <= WHOLE_DIGITS:
        given = "SOME"
    words = str(given).upper() if isinstance(given, str) else ""
    if words != "CURRENT ROW":
        words = f"{words} {spec.args.get(f'{name}_side')}"
    if words not in _REACHES:
        raise StatementError("a window reaches from and to UNBOUNDED, CURRENT ROW or a whole number of rows.")
    return _REACHES[words]
