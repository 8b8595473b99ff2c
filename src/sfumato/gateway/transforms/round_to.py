"""RoundTo: a number is shown as the nearest multiple of a step."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import WholeGrid, exact_fraction, grid_of
from sfumato.gateway.transforms.step_transform import StepTransform
from sfumato.gateway.transforms.steps import Steps
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class RoundTo(StepTransform):
    """Shows a number as the nearest multiple of a step: 23400 as 23000, which may be anything from 22500 to 23499.

    Of two equally near multiples it is the larger one. The same numbers are hidden as with buckets.

    >>> pay = ColumnType.of_duckdb("INTEGER")
    >>> RoundTo(step=1000).weaker(23400, pay), RoundTo(step=1000).shown(22500, pay)
    ((22500, 23499), '23000')
    >>> RoundTo(step=5).weaker(7, pay), RoundTo(step=5).weaker(8, pay)
    ((3, 7), (8, 12))
    """

    step: float = param(doc="what numbers are rounded to multiples of", above=0)

    def _steps(self, column_type: ColumnType) -> Steps:
        return Steps.of(column_type, exact_fraction(self.step), -self._half(column_type))

    def _label_offsets(self, column_type: ColumnType) -> tuple[Fraction, ...]:
        """The multiple itself."""
        return (self._half(column_type),)

    def _half(self, column_type: ColumnType) -> Fraction:
        """The distance below a multiple from which numbers are rounded up to it: half a step, down to the grid."""
        half, grid = exact_fraction(self.step) / 2, grid_of(column_type)
        return half // grid.unit * grid.unit if isinstance(grid, WholeGrid) else half
