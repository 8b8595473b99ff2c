"""Arithmetic on scalars that gives the same number on every engine.

Division and remainder by zero are NULL, and division is always of floating numbers.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.casts import as_text
from sfumato.gateway.sql.kinds import arithmetic_kind, demand_family
from sfumato.gateway.sql.values import Doubt, Scalar

Sql = exp.Expr


def binary_operation(kind: type[Sql], one: Scalar, other: Scalar) -> Scalar:
    """Sums, differences and products of numbers; dates plus or minus a number of days."""
    if "date" in (one.kind, other.kind):
        return _date_arithmetic(kind, one, other)
    demand_family((one.kind, other.kind), "number", "arithmetic")
    operation = _operation(kind, one.sql, other.sql, arithmetic_kind((one.kind, other.kind)), one, other)
    return replace(operation, fits_64_bits=operation.kind == "integer" and one.fits_64_bits and other.fits_64_bits)


def _date_arithmetic(kind: type[Sql], one: Scalar, other: Scalar) -> Scalar:
    """Arithmetic on dates: date + days, date - days, and date - date, which is a number of days."""
    if one.kind == other.kind == "date" and kind is exp.Sub:
        return _operation(kind, one.sql, other.sql, "integer", one, other)
    if kind is exp.Mul or other.kind == "date":
        raise StatementError("arithmetic on dates is date + days, date - days or date - date.")
    demand_family((other.kind,), "number", "a date")
    return _operation(kind, one.sql, exp.cast(other.sql, "INT"), "date", one, other)


def quotient(one: Scalar, other: Scalar) -> Scalar:
    """Division, of floating numbers on every engine; NULL if the divisor is 0."""
    demand_family((one.kind, other.kind), "number", "arithmetic")
    divisor = exp.func("NULLIF", exp.cast(other.sql, "double"), exp.Literal.number(0))
    operation = exp.Div(this=exp.cast(one.sql, "double"), expression=divisor, typed=True, safe=True)
    return Scalar(exp.paren(operation, copy=False), "float", doubt=Doubt.of(one, other))


def remainder(one: Scalar, other: Scalar) -> Scalar:
    """The remainder of a division of integers or decimals; NULL if the divisor is 0."""
    demand_family((one.kind, other.kind), "number", "%")
    kind = arithmetic_kind((one.kind, other.kind))
    if kind == "float":
        raise StatementError("% needs whole numbers or decimals; CAST to one of them.")
    divisor = exp.func("NULLIF", exp.paren(other.sql), exp.Literal.number(0))
    return _operation(exp.Mod, exp.paren(one.sql), divisor, kind, one, other)


def negative_number(inner: Scalar) -> Scalar:
    """A number with the opposite sign."""
    demand_family((inner.kind,), "number", "a sign")
    return Scalar(exp.Neg(this=exp.paren(inner.sql)), arithmetic_kind((inner.kind,)), doubt=inner.doubt)


def concatenation(one: Scalar, other: Scalar) -> Scalar:
    """Two values joined as texts."""
    return _operation(exp.DPipe, as_text(one).sql, as_text(other).sql, "text", one, other)


def _operation(operator: type[Sql], left: Sql, right: Sql, kind: str, one: Scalar, other: Scalar) -> Scalar:
    """The operation in parentheses, whose result is of the given kind."""
    operation = exp.paren(operator(this=left.copy(), expression=right.copy()), copy=False)
    return Scalar(operation, kind, doubt=Doubt.of(one, other))
