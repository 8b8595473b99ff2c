"""Conditions that cannot fail on any row: comparisons of columns with literals of their own type.

With noise, it is a secret whether somebody is in the table at all. A condition that fails on some rows, and how it
fails, would reveal something about them for free. So literals are converted to the column's type here, before anything
is charged or run, and refused if that fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.reading import parameter_number
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView

_CONNECTIVES = (exp.And, exp.Or, exp.Not, exp.Paren)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_PATTERN_MATCHES = (exp.Like, exp.ILike)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d(\.\d{1,6})?)?)?")
_OTHER_TIMESTAMPS = ("timestamp_s", "timestamp_ms", "timestamp_ns", "timestamptz_ns")
_MAX_INTEGER = 2**63 - 1
"""The largest integer that every engine compares without a conversion that can fail."""
_MESSAGE = (
    "with noise, a condition compares columns with literals of their own type (texts, whole numbers, dates as "
    "'2026-01-31', timestamps, true and false), joined by AND, OR and NOT; it calculates and converts nothing."
)


def demand_total(where: exp.Expr, view: PurposeView, parameters: Sequence[Any]) -> None:
    """Refuse a condition that could fail for some value of a column."""
    if isinstance(where, _CONNECTIVES):
        for part in where.iter_expressions():
            demand_total(part, view, parameters)
    elif isinstance(where, _COMPARISONS):
        one, other = where.this, where.expression
        column, literal = (one, other) if isinstance(one, exp.Column) else (other, one)
        _demand_fit(column, literal, view, parameters)
    elif isinstance(where, _PATTERN_MATCHES):
        if _type(where.this, view).kind != "text":
            raise StatementError(_MESSAGE)
        _demand_fit(where.this, where.expression, view, parameters)
    elif isinstance(where, exp.Between):
        for end in ("low", "high"):
            _demand_fit(where.this, where.args[end], view, parameters)
    elif isinstance(where, exp.In) and where.args.get("query") is None:
        for one in where.expressions:
            _demand_fit(where.this, one, view, parameters)
    elif not (isinstance(where, exp.Is) and isinstance(where.this, exp.Column)) and not isinstance(where, exp.Boolean):
        raise StatementError(_MESSAGE)


def _demand_fit(column: exp.Expr, literal: exp.Expr, view: PurposeView, parameters: Sequence[Any]) -> None:
    """One side must be a column, the other a literal of its type."""
    kind, value = _type(column, view), _value(literal, parameters)
    # NULL compares with every type and cannot fail.
    if value is not None and not _FITS.get(kind.kind, _never)(value, kind):
        raise StatementError(_MESSAGE)


def _type(column: exp.Expr, view: PurposeView) -> ColumnType:
    """The type of a column; it must be shown as it is stored."""
    found = view.find(column.name) if isinstance(column, exp.Column) else None
    if found is None or found.form != "plain":
        raise StatementError(_MESSAGE)
    return found.type


def _value(node: exp.Expr, parameters: Sequence[Any]) -> Any:
    """The value of a literal or of a parameter."""
    if isinstance(node, exp.Neg):
        value = _value(node.this, parameters)
        if type(value) is not int:
            raise StatementError(_MESSAGE)
        return -value
    if isinstance(node, exp.Literal) and (node.is_string or node.is_int):
        return str(node.this) if node.is_string else int(node.this)
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if isinstance(node, exp.Parameter | exp.Placeholder):
        return parameters[parameter_number(node) - 1]
    if isinstance(node, exp.Null):
        return None
    raise StatementError(_MESSAGE)


def _fits_integer(value: Any, kind: ColumnType) -> bool:
    """Numbers beyond the column's type are compared in a wider type, which exists up to 64 bits."""
    low, _ = kind.bounds or (0, 0)  # wider types are signed; unsigned 128-bit columns are refused elsewhere
    return type(value) is int and abs(value) <= _MAX_INTEGER and low + 1 >= -_MAX_INTEGER


def _fits_decimal(value: Any, kind: ColumnType) -> bool:
    """An integer is converted to the digits of the column; PostgreSQL takes as many digits as it needs."""
    if type(value) is not int or abs(value) > _MAX_INTEGER:
        return False
    return kind.bounds is None or abs(value) * 10 ** (kind.scale or 0) <= kind.bounds[1]


def _fits_float(value: Any, kind: ColumnType) -> bool:
    return type(value) in (int, float) and abs(value) <= _MAX_INTEGER


def _fits_text(value: Any, kind: ColumnType) -> bool:
    return type(value) is str and not kind.name.casefold().startswith("enum")


def _fits_boolean(value: Any, kind: ColumnType) -> bool:
    return type(value) is bool


def _fits_date(value: Any, kind: ColumnType) -> bool:
    return type(value) is date or (type(value) is str and bool(_DATE.fullmatch(value)) and _is_date(value))


def _fits_timestamp(value: Any, kind: ColumnType) -> bool:
    """DuckDB converts to seconds, milliseconds and nanoseconds, whose ranges values or the column can exceed."""
    if kind.name.casefold() in _OTHER_TIMESTAMPS:
        return False
    if type(value) in (date, datetime):
        return True
    return type(value) is str and bool(_TIMESTAMP.fullmatch(value)) and _is_date(value)


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _never(value: Any, kind: ColumnType) -> bool:
    return False


_FITS: Mapping[str, Callable[[Any, ColumnType], bool]] = {
    "integer": _fits_integer,
    "decimal": _fits_decimal,
    "float": _fits_float,
    "text": _fits_text,
    "boolean": _fits_boolean,
    "date": _fits_date,
    "timestamp": _fits_timestamp,
}
