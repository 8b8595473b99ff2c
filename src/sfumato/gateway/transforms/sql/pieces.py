"""Ranges that are all known in advance, as SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.sql.building import between, case_when, constant, text

Piece = tuple[Any, Any]
"""The lowest and the highest value of a range."""


def range_sql(
    pieces: Sequence[Piece], value: exp.Expr, column_type: ColumnType, engine: str
) -> tuple[exp.Expr, exp.Expr]:
    """The bounds of the piece that a value lies in; NULL outside all pieces."""
    ends = [(constant(low, column_type, engine), constant(high, column_type, engine)) for low, high in pieces]
    low, high = (case_when([(between(value, *both), both[place]) for both in ends]) for place in (0, 1))
    return low, high


def shown_sql(labels: Sequence[tuple[Any, str]], low: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
    """The label of the piece with this lowest value."""
    return case_when([(low.eq(constant(least, column_type, engine)), text(label)) for least, label in labels])


def sets_sql(
    sets: Sequence[Sequence[Any]], value: exp.Expr, column_type: ColumnType, engine: str
) -> tuple[exp.Expr, exp.Expr]:
    """The lowest and the highest member of the set that contains a value; NULL if none does."""
    typed = [[constant(one, column_type, engine) for one in sorted(members)] for members in sets]
    low, high = (case_when([(value.isin(*members), members[place]) for members in typed]) for place in (0, -1))
    return low, high
