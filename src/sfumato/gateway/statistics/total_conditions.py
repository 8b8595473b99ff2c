"""Conditions that cannot fail, whatever the values are: comparisons of columns with what is written out.

Where a condition is over a column that is not open, whether it fails, and how, would tell about values at no cost.
"""

from __future__ import annotations

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.reading import KIND
from sfumato.gateway.views import PurposeView

_CONNECTING = (exp.And, exp.Or, exp.Not, exp.Paren)
_COMPARING = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like, exp.ILike)
_MOST_DIGITS = 18
_MESSAGE = (
    "a condition over a column that is open to selection with noise alone compares columns with texts, days, whole "
    "numbers and parameters, joined by AND, OR and NOT; it calculates and converts nothing."
)


def demand_total(where: exp.Expr, view: PurposeView) -> None:
    """Refuse a condition that could fail for some value of a column."""
    if isinstance(where, _CONNECTING):
        for part in where.iter_expressions():
            demand_total(part, view)
    elif isinstance(where, _COMPARING):
        _demand_pair(where.this, where.expression, view)
    elif isinstance(where, exp.Between):
        for end in ("low", "high"):
            _demand_pair(where.this, where.args[end], view)
    elif isinstance(where, exp.In) and where.args.get("query") is None:
        for one in where.expressions:
            _demand_pair(where.this, one, view)
    elif not (isinstance(where, exp.Is) and isinstance(where.this, exp.Column)) and not isinstance(where, exp.Boolean):
        raise StatementError(_MESSAGE)


def _demand_pair(one: exp.Expr, other: exp.Expr, view: PurposeView) -> None:
    """One side is a column and the other is written out."""
    column, written = (one, other) if isinstance(one, exp.Column) else (other, one)
    if not isinstance(column, exp.Column) or not _is_written(written):
        raise StatementError(_MESSAGE)
    found = [shown for shown in view.columns if shown.name.lower() == column.name.lower()]
    if found and found[0].type.kind == "integer" and found[0].type.bounds and found[0].type.bounds[1] >= 2**64:
        raise StatementError(_MESSAGE)


def _is_written(node: exp.Expr) -> bool:
    if isinstance(node, exp.Neg):
        node = node.this
    if isinstance(node, exp.Literal):
        return node.is_string or (node.is_int and len(node.this) <= _MOST_DIGITS)
    if isinstance(node, exp.Parameter | exp.Placeholder):  # a decimal would have columns converted to its own digits
        return node.meta.get(KIND) != "decimal"
    return isinstance(node, exp.Null | exp.Boolean)
