"""Intervals between given break points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sfumato.data.domain import written
from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import WholeGrid, exact_fraction, grid_of
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, kw_only=True)
class Breaks(Transform):
    """Shows a number as the interval between break points that it lies in; only the last one includes its end.

    On each further level two intervals are merged. Numbers outside all intervals are hidden.

    >>> Breaks(breaks=(0, 20, 40, 60)).weaker(60, ColumnType.of_duckdb("INTEGER"))
    (40, 60)
    """

    makes = "range"
    for_kinds = frozenset({"integer", "decimal", "float"})

    breaks: tuple[float, ...] = param(doc="where intervals begin, and where the last one ends")
    level: int = param(1, doc="on level 1 intervals are single, on every further level twice as many are merged")

    def _objection(self, column_type: ColumnType) -> str | None:
        parts = len(self.breaks) - 1
        if self.level > max(parts - 1, 0).bit_length() + 1:
            return f"on level {self.level} nothing is left of {parts} intervals; choose a lower level, or prohibit"
        return None

    def weaker(self, value: Any, column_type: ColumnType) -> tuple[Any, Any] | None:
        """The lowest and the highest value of the interval."""
        if value is None or not grid_of(column_type).is_number(value):
            return None
        return next(((low, high) for low, high, _ in self._pieces(column_type) if low <= value <= high), None)

    def range_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> tuple[exp.Expr, exp.Expr]:
        """The lowest and the highest value of the interval."""
        from sfumato.gateway.transforms.sql import pieces

        ranges = [(low, high) for low, high, _ in self._pieces(column_type)]
        return pieces.range_sql(ranges, value, column_type, engine)

    def shown(self, low: Any, column_type: ColumnType) -> str | None:
        """The interval as the taxonomy writes it."""
        return next((label for least, _, label in self._pieces(column_type) if least == low), None)

    def shown_sql(self, low: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """The interval as the taxonomy writes it."""
        from sfumato.gateway.transforms.sql import pieces

        labels = [(least, label) for least, _, label in self._pieces(column_type)]
        return pieces.shown_sql(labels, low, column_type, engine)

    def _pieces(self, column_type: ColumnType) -> list[tuple[Any, Any, str]]:
        """Lowest value, highest value and label of every interval that some value of the column lies in, highest first.

        If no value lies directly before a break point, it ends one interval and begins the next, and belongs to the
        higher one.
        """
        joined = 1 << (self.level - 1)
        last = len(self.breaks) - 1
        found = []
        for place in range(0, last, joined):
            stop = min(place + joined, last)
            ends = _ends(self.breaks[place], self.breaks[stop], column_type, closed=stop == last)
            if ends is not None:
                bracket = "]" if stop == last else ")"
                label = f"[{written(float(self.breaks[place]))}, {written(float(self.breaks[stop]))}{bracket}"
                found.append((*ends, label))
        return found[::-1]


def _ends(low: float, high: float, column_type: ColumnType, *, closed: bool) -> tuple[Any, Any] | None:
    """The lowest and the highest value between two break points; None if there is none."""
    grid = grid_of(column_type)
    least, above = grid.at(exact_fraction(low)), grid.at(exact_fraction(high))
    exact_end = closed and above <= exact_fraction(high) if isinstance(grid, WholeGrid) else closed
    most = above if exact_end else grid.before(above)
    if isinstance(grid, WholeGrid):
        least, most = max(least, grid.value(grid.least)), min(most, grid.value(grid.most))
    return (least, most) if least <= most else None
