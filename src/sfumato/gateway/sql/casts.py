"""Casts that give the same value on every engine; the others are refused."""

from __future__ import annotations

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.kinds import NUMBERS, TIMES, demand_alike, family
from sfumato.gateway.sql.supported_nodes import demand_only
from sfumato.gateway.sql.values import Plain, Value

Type = exp.DataType.Type

_KINDS = {
    **dict.fromkeys((Type.TINYINT, Type.SMALLINT, Type.INT, Type.BIGINT), "integer"),
    **dict.fromkeys((Type.DOUBLE, Type.FLOAT), "float"),
    **dict.fromkeys((Type.TEXT, Type.VARCHAR), "text"),
    **dict.fromkeys((Type.TIMESTAMP, Type.TIMESTAMPNTZ, Type.DATETIME), "timestamp"),
    Type.DECIMAL: "decimal",
    Type.DATE: "date",
    Type.BOOLEAN: "boolean",
}
_SPELLED = {Type.TINYINT: "SMALLINT", Type.SMALLINT: "SMALLINT", Type.INT: "INT", Type.BIGINT: "BIGINT"}
_NAMES = {"float": "DOUBLE", "text": "TEXT", "timestamp": "TIMESTAMP", "date": "DATE", "boolean": "BOOLEAN"}
MANY_DIGITS = "DECIMAL(38, 10)"
"""What floating numbers become before they are rounded: the same decimal digits on every engine."""

_MOST_DIGITS = 38


def cast_to(inner: Plain, wanted: exp.Expr) -> Plain:
    """CAST(value AS type)."""
    kind = _KINDS.get(wanted.this) if isinstance(wanted, exp.DataType) and not wanted.args.get("nested") else None
    if kind is None:
        raise StatementError("CAST is understood to whole numbers, DOUBLE, DECIMAL, TEXT, DATE, TIMESTAMP and BOOLEAN.")
    demand_only(wanted, ("this", "expressions"))
    if kind == "text":
        _demand_no_length(wanted)
        return as_text(inner)
    if kind == "decimal":
        return Plain(exp.cast(_stepped(inner, "decimal"), _decimal(wanted), copy=False), kind, inner.hideable)
    _demand_no_length(wanted)
    _demand_convertible(inner.kind, kind)
    if kind == "boolean" and inner.kind in NUMBERS:
        told = exp.NEQ(this=exp.paren(inner.sql), expression=exp.Literal.number(0))
        return Plain(exp.paren(told), kind, inner.hideable)
    name = _SPELLED[wanted.this] if kind == "integer" else _NAMES[kind]
    made = exp.cast(_stepped(inner, kind), name, copy=False)
    return Plain(made, kind, inner.hideable, small=kind == "integer")


def as_text(inner: Plain) -> Plain:
    """A value as a text; engines write floating numbers and mixed decimals differently."""
    if inner.kind in ("float", "number"):
        raise StatementError("a number with any number of digits is not written as a text; CAST it to DECIMAL first.")
    if inner.kind == "text" and not isinstance(inner.sql, exp.Column):  # a column's own type may be padded
        return inner
    return Plain(exp.cast(inner.sql, "TEXT"), "text", inner.hideable)


def matched(one: Value, other: Value) -> tuple[Value, Value]:
    """Two values that are to be compared; a text that is written beside a date is one."""
    one, other = _dated(one, other.kind), _dated(other, one.kind)
    demand_alike((one.kind, other.kind), "a comparison")
    return one, other


def _dated(one: Value, beside: str) -> Value:
    if beside not in TIMES or not isinstance(one, Plain) or one.kind != "text":
        return one
    if isinstance(one.sql, exp.Parameter):
        return Plain(exp.cast(one.sql, _NAMES[beside]), beside)
    if not (isinstance(one.sql, exp.Literal) and one.sql.is_string):
        return one
    kind = "timestamp" if len(one.sql.this) > len("2026-11-15") else "date"
    return Plain(exp.cast(one.sql, _NAMES[kind]), kind)


def _stepped(inner: Plain, wanted: str) -> exp.Expr:
    """The value, by way of another type where the straight way differs from engine to engine or is missing."""
    if inner.kind == "boolean" and wanted in NUMBERS:
        return exp.cast(inner.sql, "INT")
    if (inner.kind, wanted) in (("text", "integer"), ("float", "decimal"), ("number", "decimal")):
        return exp.cast(inner.sql, MANY_DIGITS)
    return inner.sql.copy()


def _decimal(wanted: exp.Expr) -> str:
    digits = [one.this for one in wanted.expressions]
    if not digits:
        return "DECIMAL(18, 3)"
    if len(digits) > 2 or not all(isinstance(one, exp.Literal) and one.is_int for one in digits):
        raise StatementError("DECIMAL is followed by how many digits there are, and how many after the point.")
    every, after = int(digits[0].this), int(digits[1].this) if len(digits) > 1 else 0
    if not 1 <= every <= _MOST_DIGITS or after > every:
        raise StatementError(f"DECIMAL has 1 to {_MOST_DIGITS} digits, and no more than these after the point.")
    return f"DECIMAL({every}, {after})"


def _demand_no_length(wanted: exp.Expr) -> None:
    if wanted.expressions:
        raise StatementError("types are named without a length; left(text, 3) are the first characters.")


def _demand_convertible(found: str, wanted: str) -> None:
    """Dates become dates and texts, numbers numbers, texts and conditions; texts become anything."""
    own = family(found)
    if own in (None, "text") or own == family(wanted) or {own, family(wanted)} == {"number", "boolean"}:
        return
    raise StatementError(f"CAST of a {own} to a {'time' if wanted in TIMES else wanted} is not offered.")
