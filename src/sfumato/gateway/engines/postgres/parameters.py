"""Parameters of queries, in the form in which PostgreSQL takes them: sent beside the statement, never inside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from sfumato.errors import StatementError
from sfumato.runtime.representations import sizes_only

_INFERRED, _BOOL, _INT4, _INT8, _FLOAT8, _NUMERIC, _DATE, _TIMESTAMP, _TIMESTAMPTZ = (
    0, 16, 23, 20, 701, 1700, 1082, 1114, 1184,
)  # fmt: skip


class BoundParameters(NamedTuple):
    """Values as text, and the type numbers that go with them."""

    values: tuple[bytes | None, ...]
    types: tuple[int, ...]

    def __repr__(self) -> str:
        return sizes_only(self)


def bind_parameters(parameters: Sequence[object]) -> BoundParameters:
    """Values for `$1`, `$2` and so on; the server infers the type of a text from its context.

    >>> tuple(bind_parameters([7, "Bob", None]))
    ((b'7', b'Bob', None), (23, 0, 0))
    """
    made = [_bind(value, place) for place, value in enumerate(parameters, 1)]
    return BoundParameters(tuple(value for value, _ in made), tuple(kind for _, kind in made))


def _bind(value: object, place: int) -> tuple[bytes | None, int]:
    """One value as bytes and its type number; `place` is used in messages."""
    if value is None:
        return None, _INFERRED
    # By exact type: bool is a subclass of int, and datetime of date, but they are sent differently.
    encode = _ENCODERS.get(type(value))
    if encode is None:
        raise StatementError(
            f"parameter {place} is of a type that cannot be sent; allowed: numbers, texts, booleans, dates, timestamps."
        )
    text, kind = encode(value)
    sent = text.encode("utf-8", "ignore")
    if "\0" in text or sent.decode() != text:
        raise StatementError(f"parameter {place} has a character that PostgreSQL does not support.")
    return sent, kind


def _integer(value: int) -> tuple[str, int]:
    """The smallest type that holds the number."""
    if -(2**31) <= value < 2**31:
        return str(value), _INT4
    return str(value), _INT8 if -(2**63) <= value < 2**63 else _NUMERIC


def _timestamp(value: datetime) -> tuple[str, int]:
    """With a time zone if the value has one."""
    return value.isoformat(), _TIMESTAMP if value.tzinfo is None else _TIMESTAMPTZ


_ENCODERS: dict[type, Callable[[Any], tuple[str, int]]] = {
    bool: lambda value: ("t" if value else "f", _BOOL),
    int: _integer,
    float: lambda value: (repr(value), _FLOAT8),
    Decimal: lambda value: (str(value), _NUMERIC),
    str: lambda value: (value, _INFERRED),
    date: lambda value: (value.isoformat(), _DATE),
    datetime: _timestamp,
}
