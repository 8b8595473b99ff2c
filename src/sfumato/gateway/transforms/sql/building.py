"""Building blocks for the SQL of transforms."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from sqlglot import exp

from sfumato.gateway.transforms.column_types import ColumnType

_UNNAMED = {
    "integer": "BIGINT",
    "decimal": "DECIMAL(38, 0)",
    "float": "DOUBLE PRECISION",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "text": "TEXT",
    "boolean": "BOOLEAN",
}
"""The type to cast to if a column type has no name."""

Branch = tuple[exp.Expr, exp.Expr]
"""A condition and its result."""


def cast(value: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
    """A value in the type of the column."""
    name = column_type.name or _UNNAMED[column_type.kind]
    return exp.Cast(this=value.copy(), to=_type(name, engine).copy())


def constant(value: Any, column_type: ColumnType, engine: str) -> exp.Expr:
    """A constant in the type of the column, so that no engine infers another type for it."""
    return cast(exp.Literal.string(_literal_text(value, column_type)), column_type, engine)


def double(number: float) -> exp.Expr:
    """A constant of 64-bit floating type."""
    return exp.Cast(this=exp.Literal.string(repr(float(number))), to=_type("DOUBLE PRECISION", "postgres").copy())


def decimal(text: str, precision: int, scale: int) -> exp.Expr:
    """A decimal constant."""
    return exp.cast(exp.Literal.string(text), f"decimal({precision}, {scale})")


def as_text(value: exp.Expr) -> exp.Expr:
    """Any value as a text."""
    return exp.cast(value.copy(), "text")


def as_collated_text(value: exp.Expr) -> exp.Expr:
    """A text that is compared by code point, whatever collation the column has."""
    return exp.paren(exp.Collate(this=as_text(value), expression=exp.to_identifier("C", quoted=True)), copy=False)


def call(name: str, *parts: exp.Expr) -> exp.Expr:
    """A call of a function that has this name on both engines."""
    return exp.Anonymous(this=name, expressions=[part.copy() for part in parts])


def case_when(branches: Sequence[Branch], otherwise: exp.Expr | None = None) -> exp.Expr:
    """The result of the first branch whose condition holds; `otherwise` or NULL if none does."""
    case = exp.Case()
    for condition, result in branches:
        case = case.when(condition.copy(), result.copy(), copy=False)
    return case if otherwise is None else case.else_(otherwise.copy(), copy=False)


def between(value: exp.Expr, low: exp.Expr, high: exp.Expr) -> exp.Expr:
    """Whether a value lies between two others, both included."""
    return exp.Between(this=value.copy(), low=low.copy(), high=high.copy())


def concatenated(*parts: exp.Expr) -> exp.Expr:
    """Texts joined; NULL if one of them is NULL."""
    whole, *others = parts
    for part in others:
        whole = exp.DPipe(this=whole.copy(), expression=part.copy(), safe=True)
    return whole


def text(written: str) -> exp.Expr:
    """A text constant."""
    return exp.Literal.string(written)


def number(written: int) -> exp.Expr:
    """A small integer constant."""
    return exp.Literal.number(written)


@lru_cache(maxsize=1000)
def _type(name: str, engine: str) -> exp.DataType:
    """The parsed type. `udt`: the parser does not know types with a negative scale, and keeps their names unchanged."""
    return exp.DataType.build(name, dialect=engine, udt=True)


def _literal_text(value: Any, column_type: ColumnType) -> str:
    """A value as the text of a literal."""
    if isinstance(value, datetime):
        timestamp = value.replace(tzinfo=None).isoformat(sep=" ")
        return f"{timestamp}+00" if column_type.zoned else timestamp
    if isinstance(value, date):
        return value.isoformat()
    return (
        repr(value) if isinstance(value, float) else format(value, "f") if column_type.kind == "decimal" else str(value)
    )
