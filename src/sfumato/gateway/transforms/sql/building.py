"""The parts that the SQL of transforms is built of."""

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
Branch = tuple[exp.Expr, exp.Expr]


def cast(value: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
    """A value as the column has them."""
    name = column_type.name or _UNNAMED[column_type.kind]
    return exp.Cast(this=value.copy(), to=_type(name, engine).copy())


def constant(value: Any, column_type: ColumnType, engine: str) -> exp.Expr:
    """A known value, typed as the column, so that no engine guesses another type for it."""
    return cast(exp.Literal.string(_written(value, column_type)), column_type, engine)


def double(number: float) -> exp.Expr:
    """A known floating number of 64 bits."""
    return exp.Cast(this=exp.Literal.string(repr(float(number))), to=_type("DOUBLE PRECISION", "postgres").copy())


def decimal(text: str, precision: int, scale: int) -> exp.Expr:
    """A known decimal."""
    return exp.cast(exp.Literal.string(text), f"decimal({precision}, {scale})")


def as_text(value: exp.Expr) -> exp.Expr:
    """Any value as a text."""
    return exp.cast(value.copy(), "text")


def as_written(value: exp.Expr) -> exp.Expr:
    """A text to be compared character by character, whatever the column takes for equal."""
    return exp.paren(exp.Collate(this=as_text(value), expression=exp.to_identifier("C", quoted=True)), copy=False)


def call(name: str, *parts: exp.Expr) -> exp.Expr:
    """A function that both engines call by this name, left as it is."""
    return exp.Anonymous(this=name, expressions=[part.copy() for part in parts])


def chosen(branches: Sequence[Branch], otherwise: exp.Expr | None = None) -> exp.Expr:
    """The first branch whose condition holds; NULL if none does and nothing else is said."""
    case = exp.Case()
    for condition, result in branches:
        case = case.when(condition.copy(), result.copy(), copy=False)
    return case if otherwise is None else case.else_(otherwise.copy(), copy=False)


def between(value: exp.Expr, low: exp.Expr, high: exp.Expr) -> exp.Expr:
    """Whether a value lies between two others, both included."""
    return exp.Between(this=value.copy(), low=low.copy(), high=high.copy())


def glued(*parts: exp.Expr) -> exp.Expr:
    """Texts one after the other; NULL if one of them is."""
    whole, *others = parts
    for part in others:
        whole = exp.DPipe(this=whole.copy(), expression=part.copy(), safe=True)
    return whole


def text(written: str) -> exp.Expr:
    """A known text."""
    return exp.Literal.string(written)


def number(written: int) -> exp.Expr:
    """A known small whole number."""
    return exp.Literal.number(written)


@lru_cache(maxsize=1000)
def _type(name: str, engine: str) -> exp.DataType:
    """A scale below zero is something that the parser of type names does not know; its name stays as it is."""
    return exp.DataType.build(name, dialect=engine, udt=True)


def _written(value: Any, column_type: ColumnType) -> str:
    if isinstance(value, datetime):
        plain = value.replace(tzinfo=None).isoformat(sep=" ")
        return f"{plain}+00" if column_type.zoned else plain
    if isinstance(value, date):
        return value.isoformat()
    return (
        repr(value) if isinstance(value, float) else format(value, "f") if column_type.kind == "decimal" else str(value)
    )
