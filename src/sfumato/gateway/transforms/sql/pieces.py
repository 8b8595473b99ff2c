"""Ranges that are all known beforehand, as SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.sql.building import between, chosen, constant, text

Piece = tuple[Any, Any]


def range_sql(
    pieces: Sequence[Piece], value: exp.Expr, column_type: ColumnType, engine: str
) -> tuple[exp.Expr, exp.Expr]:
    """The ends of the piece that a value lies in; NULL between pieces and beyond them."""
    ends = [(constant(low, column_type, engine), constant(high, column_type, engine)) for low, high in pieces]
    low, high = (chosen([(between(value, *both), both[place]) for both in ends]) for place in (0, 1))
    return low, high


def shown_sql(labels: Sequence[tuple[Any, str]], low: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
    """The label of the piece with this least value."""
    return chosen([(low.eq(constant(least, column_type, engine)), text(label)) for least, label in labels])


def sets_sql(
    sets: Sequence[Sequence[Any]], value: exp.Expr, column_type: ColumnType, engine: str
) -> tuple[exp.Expr, exp.Expr]:
    """The least and the largest member of the set that a value is a member of; NULL if it is of none."""
    typed = [[constant(one, column_type, engine) for one in sorted(among)] for among in sets]
    low, high = (chosen([(value.isin(*among), among[place]) for among in typed]) for place in (0, -1))
    return low, high
