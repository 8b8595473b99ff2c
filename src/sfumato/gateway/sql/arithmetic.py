"""Arithmetic that gives the same number on every engine."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.casts import as_text
from sfumato.gateway.sql.kinds import computed, demand_family
from sfumato.gateway.sql.values import Plain

Sql = exp.Expr


def combined(kind: type[Sql], one: Plain, other: Plain) -> Plain:
    """Sums, differences and products of numbers; days before and after a date."""
    if "date" in (one.kind, other.kind):
        return _of_days(kind, one, other)
    demand_family((one.kind, other.kind), "number", "arithmetic")
    made = _made(kind, one.sql, other.sql, computed((one.kind, other.kind)), one, other)
    return replace(made, small=made.kind == "integer" and one.small and other.small)


def _of_days(kind: type[Sql], one: Plain, other: Plain) -> Plain:
    if one.kind == other.kind == "date" and kind is exp.Sub:
        return _made(kind, one.sql, other.sql, "integer", one, other)
    if kind is exp.Mul or other.kind == "date":
        raise StatementError("with dates one can compute date + days, date - days and date - date.")
    demand_family((other.kind,), "number", "a date")
    return _made(kind, one.sql, exp.cast(other.sql, "INT"), "date", one, other)


def divided(one: Plain, other: Plain) -> Plain:
    """Division is of real numbers, and by zero it is unknown, on every engine."""
    demand_family((one.kind, other.kind), "number", "arithmetic")
    over = exp.func("NULLIF", exp.cast(other.sql, "double"), exp.Literal.number(0))
    made = exp.Div(this=exp.cast(one.sql, "double"), expression=over, typed=True, safe=True)
    return Plain(exp.paren(made, copy=False), "float", one.hideable or other.hideable)


def remainder(one: Plain, other: Plain) -> Plain:
    """What is left of a division of whole numbers or decimals; by zero it is unknown."""
    demand_family((one.kind, other.kind), "number", "%")
    kind = computed((one.kind, other.kind))
    if kind == "float":
        raise StatementError("% is of whole numbers and decimals; CAST to one of them.")
    over = exp.func("NULLIF", exp.paren(other.sql), exp.Literal.number(0))
    return _made(exp.Mod, exp.paren(one.sql), over, kind, one, other)


def negative(inner: Plain) -> Plain:
    """A number with the other sign."""
    demand_family((inner.kind,), "number", "a sign")
    return Plain(exp.Neg(this=exp.paren(inner.sql)), computed((inner.kind,)), inner.hideable)


def joined_text(one: Plain, other: Plain) -> Plain:
    """One text after the other."""
    return _made(exp.DPipe, as_text(one).sql, as_text(other).sql, "text", one, other)


def _made(kind: type[Sql], left: Sql, right: Sql, found: str, one: Plain, other: Plain) -> Plain:
    made = exp.paren(kind(this=left.copy(), expression=right.copy()), copy=False)
    return Plain(made, found, one.hideable or other.hideable)
