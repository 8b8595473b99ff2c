"""Window frames: checks from which row to which a window reaches."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.kinds import NUMBERS
from sfumato.gateway.sql.literals import BIGINT_DIGITS
from sfumato.gateway.sql.supported_nodes import demand_only
from sfumato.gateway.sql.values import Scalar

Sql = exp.Expr
_REACHES = {
    "UNBOUNDED PRECEDING": 0, "SOME PRECEDING": 1, "CURRENT ROW": 2, "SOME FOLLOWING": 3, "UNBOUNDED FOLLOWING": 4,
}  # fmt: skip
"""The ends of a frame in their order."""


def unit_of(spec: Sql) -> str:
    """The unit of a frame: ROWS or RANGE."""
    return str(spec.args.get("kind") or "RANGE").upper()


def demand_frame(spec: Sql, sorting: Sequence[Scalar]) -> None:
    """Refuse a frame that an engine would refuse, or that the engines would read differently."""
    demand_only(spec, ("kind", "start", "start_side", "end", "end_side"))
    if unit_of(spec) not in ("ROWS", "RANGE"):
        raise StatementError("the frame of a window is in ROWS or RANGE.")
    start, end = (_reach(spec, name) for name in ("start", "end"))
    if start > end or start == _REACHES["UNBOUNDED FOLLOWING"] or end == _REACHES["UNBOUNDED PRECEDING"]:
        raise StatementError("the frame of a window must not end before it starts.")
    numbers = any(isinstance(spec.args.get(name), exp.Literal) for name in ("start", "end"))
    if unit_of(spec) == "RANGE" and numbers and not (len(sorting) == 1 and sorting[0].kind in NUMBERS):
        raise StatementError("a RANGE from or to a number needs ORDER BY one number.")


def _reach(spec: Sql, name: str) -> int:
    """The position of one end of a frame in `_REACHES`."""
    given = spec.args.get(name) or "CURRENT ROW"
    if isinstance(given, exp.Literal) and given.is_int and len(given.name) <= BIGINT_DIGITS:
        given = "SOME"
    words = str(given).upper() if isinstance(given, str) else ""
    if words != "CURRENT ROW":
        words = f"{words} {spec.args.get(f'{name}_side')}".upper()
    if words not in _REACHES:
        raise StatementError(
            "the frame of a window starts and ends at UNBOUNDED, CURRENT ROW or a whole number of rows."
        )
    return _REACHES[words]
