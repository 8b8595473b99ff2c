"""Casts that give the same value on every engine; all others are refused."""

from __future__ import annotations

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.kinds import NUMBERS, TIMES, demand_same_family, family
from sfumato.gateway.sql.supported_nodes import demand_only
from sfumato.gateway.sql.values import Scalar, Value

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
_INTEGER_NAMES = {Type.TINYINT: "SMALLINT", Type.SMALLINT: "SMALLINT", Type.INT: "INT", Type.BIGINT: "BIGINT"}
"""The integer types to cast to; PostgreSQL has no TINYINT."""

_NAMES = {"float": "DOUBLE", "text": "TEXT", "timestamp": "TIMESTAMP", "date": "DATE", "boolean": "BOOLEAN"}
WIDE_DECIMAL = "DECIMAL(38, 10)"
"""The type of floating numbers before they are rounded: it gives the same digits on every engine."""

_MAX_DIGITS = 38


def cast_to(inner: Scalar, wanted: exp.Expr) -> Scalar:
    """CAST(value AS type)."""
    kind = _KINDS.get(wanted.this) if isinstance(wanted, exp.DataType) and not wanted.args.get("nested") else None
    if kind is None:
        raise StatementError("CAST is supported to whole numbers, DOUBLE, DECIMAL, TEXT, DATE, TIMESTAMP and BOOLEAN.")
    demand_only(wanted, ("this", "expressions"))
    if kind == "text":
        _demand_no_length(wanted)
        return as_text(inner)
    if kind == "decimal":
        return Scalar(
            exp.cast(_via_intermediate_type(inner, "decimal"), _decimal(wanted), copy=False), kind, doubt=inner.doubt
        )
    _demand_no_length(wanted)
    _demand_convertible(inner.kind, kind)
    if kind == "boolean" and inner.kind in NUMBERS:
        nonzero = exp.NEQ(this=exp.paren(inner.sql), expression=exp.Literal.number(0))
        return Scalar(exp.paren(nonzero), kind, doubt=inner.doubt)
    name = _INTEGER_NAMES[wanted.this] if kind == "integer" else _NAMES[kind]
    cast = exp.cast(_via_intermediate_type(inner, kind), name, copy=False)
    return Scalar(cast, kind, kind == "integer", doubt=inner.doubt)


def as_text(inner: Scalar) -> Scalar:
    """A value as a text; refused for floating numbers and mixed decimals, which the engines write differently."""
    if inner.kind in ("float", "number"):
        raise StatementError(
            "a number without a fixed number of digits does not become a text; CAST it to DECIMAL first."
        )
    if inner.kind == "text" and not isinstance(inner.sql, exp.Column):  # the type of a column may pad its values (CHAR)
        return inner
    return Scalar(exp.cast(inner.sql, "TEXT"), "text", doubt=inner.doubt)


def comparable(one: Value, other: Value) -> tuple[Value, Value]:
    """Two values to be compared; a text literal or parameter becomes a date if it is compared with one."""
    one, other = _with_date_literal(one, other.kind), _with_date_literal(other, one.kind)
    demand_same_family((one.kind, other.kind), "a comparison")
    return one, other


def _with_date_literal(one: Value, other_kind: str) -> Value:
    """A text literal or parameter as a date or timestamp if the other value is one, else unchanged."""
    if other_kind not in TIMES or not isinstance(one, Scalar) or one.kind != "text":
        return one
    if isinstance(one.sql, exp.Parameter):
        return Scalar(exp.cast(one.sql, _NAMES[other_kind]), other_kind, doubt=one.doubt)
    if not (isinstance(one.sql, exp.Literal) and one.sql.is_string):
        return one
    # A literal with a time of day must not lose it when it is compared with a date.
    kind = "timestamp" if len(one.sql.this) > len("2026-11-15") else "date"
    return Scalar(exp.cast(one.sql, _NAMES[kind]), kind, doubt=one.doubt)


def _via_intermediate_type(inner: Scalar, wanted: str) -> exp.Expr:
    """The value in an intermediate type, if the engines differ in the direct cast or one of them lacks it."""
    if inner.kind == "boolean" and wanted in NUMBERS:
        return exp.cast(inner.sql, "INT")
    if (inner.kind, wanted) in (("text", "integer"), ("float", "decimal"), ("number", "decimal")):
        return exp.cast(inner.sql, WIDE_DECIMAL)
    return inner.sql.copy()


def _decimal(wanted: exp.Expr) -> str:
    """DECIMAL with its precision and scale, as SQL."""
    digits = [one.this for one in wanted.expressions]
    if not digits:
        return "DECIMAL(18, 3)"
    if len(digits) > 2 or not all(isinstance(one, exp.Literal) and one.is_int for one in digits):
        raise StatementError(
            "DECIMAL takes the number of digits and the number of digits after the point: DECIMAL(12, 2)."
        )
    total, decimals = int(digits[0].this), int(digits[1].this) if len(digits) > 1 else 0
    if not 1 <= total <= _MAX_DIGITS or decimals > total:
        raise StatementError(f"DECIMAL has 1 to {_MAX_DIGITS} digits, and at most as many after the point.")
    return f"DECIMAL({total}, {decimals})"


def _demand_no_length(wanted: exp.Expr) -> None:
    """Refuse VARCHAR(n) and the like: the engines treat longer texts differently."""
    if wanted.expressions:
        raise StatementError("types are named without a length; left(text, 3) gives the first characters.")


def _demand_convertible(found: str, wanted: str) -> None:
    """Dates convert to dates and texts; numbers to numbers, texts and conditions; texts to anything."""
    own = family(found)
    if own in (None, "text") or own == family(wanted) or {own, family(wanted)} == {"number", "boolean"}:
        return
    raise StatementError(f"CAST of a {own} to a {'time' if wanted in TIMES else wanted} is not supported.")
