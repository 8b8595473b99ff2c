"""Steps over integers and decimals of fixed scale, as SQL in the type of the column.

No part of it can overflow: the first and the last step, where it could, have constant bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast as typed

from sqlglot import exp

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import WholeGrid, decimal_places
from sfumato.gateway.transforms.sql import pieces
from sfumato.gateway.transforms.sql.building import (
    Branch,
    as_text,
    between,
    call,
    case_when,
    cast,
    concatenated,
    constant,
    text,
)
from sfumato.gateway.transforms.steps import Steps, join_bounds

_FEW_STEPS = 8
"""If there are at most this many steps, they are listed as constants."""


@dataclass(frozen=True)
class WholeSteps:
    """The SQL of steps over a column; numbers here are in units of its last decimal place."""

    steps: Steps
    column_type: ColumnType
    engine: str

    @property
    def grid(self) -> WholeGrid:
        """The values of the column."""
        return typed(WholeGrid, self.steps.grid)

    @property
    def width(self) -> int:
        """The width of a step."""
        return int(self.steps.width / self.grid.unit)

    @property
    def start(self) -> int:
        """The beginning of the first step at or after zero."""
        return int(self.steps.start / self.grid.unit)

    @property
    def first(self) -> int:
        """The beginning of the first step that begins within the column type."""
        return self.grid.least + (self.start - self.grid.least) % self.width

    @property
    def last(self) -> int:
        """The beginning of the last step."""
        return self.grid.most - (self.grid.most - self.start) % self.width

    def range_sql(self, value: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """The lowest and the highest value on the step of a value."""
        all_steps = self._all_steps()
        if all_steps is not None:
            return pieces.range_sql(all_steps, value, self.column_type, self.engine)
        if self.column_type.kind == "integer" and not self.start and 2 * self.width <= self.grid.most:
            return self._short_range_sql(value)
        low = self._branches(value, 0, self.grid.least, self.last)
        high = self._branches(value, self.width - 1, self.first - 1, self.grid.most)
        return cast(case_when(low), self.column_type, self.engine), cast(case_when(high), self.column_type, self.engine)

    def shown_sql(self, low: exp.Expr, offsets: Sequence[Fraction]) -> exp.Expr:
        """The step with this lowest value in words; no other value can make it fail either."""
        all_steps = self._all_steps()
        ends = [self.grid.value(self.grid.least)] if self.grid.least < self.first else []
        least = [*ends, self.grid.value(self.last)] if all_steps is None else [piece[0] for piece in all_steps]
        labels = [(one, self.steps.label(one, offsets)) for one in least]
        if all_steps is not None:
            return pieces.shown_sql(labels, low, self.column_type, self.engine)
        branches: list[Branch] = [
            (self._within(low, self.start, self.last - self.width), self._label(low, offsets, negative=False))
        ]
        if self.first < self.start:
            branches.append((self._within(low, self.first, self.start - 1), self._label(low, offsets, negative=True)))
        return case_when(branches, pieces.shown_sql(labels, low, self.column_type, self.engine))

    def _all_steps(self) -> list[pieces.Piece] | None:
        """All steps, if there are few; width and start may then exceed the type, and are not used."""
        if self.first > self.grid.most:
            return [(self.grid.value(self.grid.least), self.grid.value(self.grid.most))]
        if (self.last - self.first) // self.width >= _FEW_STEPS:
            return None
        begins = range(self.first, self.last + 1, self.width)
        whole = [self.grid.least, *begins] if self.first > self.grid.least else list(begins)
        ends = [*(begin - 1 for begin in whole[1:]), self.grid.most]
        return [(self.grid.value(low), self.grid.value(high)) for low, high in zip(whole, ends, strict=True)]

    def _short_range_sql(self, value: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """A shorter expression for integers and steps from zero: engines parse longer than they compute."""
        width = self._at(self.width)
        into = call("MOD", value, width)
        if self.grid.least < 0:
            into = call("MOD", into + width, width)
        low: exp.Expr = value - into
        if self.grid.least < self.first:
            low = case_when([(value < self._at(self.first), self._at(self.grid.least))], low)
        rest = exp.paren(self._at(self.width - 1) - into)
        high = case_when([(value >= self._at(self.last), self._at(self.grid.most))], value + rest)
        return cast(low, self.column_type, self.engine), cast(high, self.column_type, self.engine)

    def _branches(self, value: exp.Expr, offset: int, at_first: int, at_last: int) -> list[Branch]:
        """Where the step of a value begins, plus the offset, and the constants of the first and the last step.

        Numbers above zero come first, since they need one division only. NaN matches no branch.
        """
        width, start = self._at(self.width), self._at(self.start)
        begin = value - call("MOD", value - start if self.start else value, width)
        found: list[Branch] = [
            (self._within(value, self.start, self.last - 1), begin + self._at(offset) if offset else begin)
        ]
        found.append((self._within(value, self.last, self.grid.most), self._at(at_last)))
        if self.first < self.start:
            shifted = value + self._at(self.width - self.start) if self.start else value
            begin = value - call("MOD", call("MOD", shifted, width) + width, width)
            inside = self._within(value, self.first, self.start - 1)
            found.append((inside, begin + self._at(offset) if offset else begin))
        if self.grid.least < self.first:
            found.append((self._within(value, self.grid.least, self.first - 1), self._at(at_first)))
        return found

    def _within(self, value: exp.Expr, low: int, high: int) -> exp.Expr:
        """Whether a value lies between two numbers of units."""
        return between(value, self._at(low), self._at(high))

    def _at(self, units: int) -> exp.Expr:
        """A number of units as a constant."""
        return constant(self.grid.value(units), self.column_type, self.engine)

    def _label(self, low: exp.Expr, offsets: Sequence[Fraction], *, negative: bool) -> exp.Expr:
        """The label of the step that begins with `low`."""
        digits = max(decimal_places(self.steps.width, self.steps.start, *offsets), 0)
        moved = [low + self._at(int(offset / self.grid.unit)) if offset else low for offset in offsets]
        first, *others = [self._text(one, digits) for one in moved]
        return concatenated(
            first, *(part for other in others for part in (text(join_bounds(["", ""], negative)), other))
        )

    def _text(self, number: exp.Expr, digits: int) -> exp.Expr:
        """A number with no more decimal places than the limits have."""
        if self.grid.scale <= 0:
            return as_text(number)
        whole = max(len(str(self.grid.most)) - self.grid.scale, 0)
        return as_text(exp.cast(number.copy(), f"decimal({max(whole + digits, 1)}, {digits})"))
