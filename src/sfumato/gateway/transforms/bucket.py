"""Bucket: a number is shown as the bucket it lies in."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import exact_fraction
from sfumato.gateway.transforms.step_transform import StepTransform
from sfumato.gateway.transforms.steps import Steps
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Bucket(StepTransform):
    """Shows a number as the bucket of a given width it lies in: 35000 as 30000-40000.

    A bucket begins at `start`, with others before and after it; the upper limit of a bucket belongs to the next one.
    Both bounds are values that the column can have, so that the bucket of an integer reaches from 30000 to 39999.
    Between decimals without a fixed scale there is no value directly before 40000, and the upper bound is 40000 itself.

    Every integer and every decimal of fixed scale lies in a bucket; the first and the last bucket end with the column
    type. Floating numbers that are NaN, infinite or more than 2^40 buckets (2^22 for those of 32 bits) from zero are
    hidden.

    >>> age = ColumnType.of_duckdb("INTEGER")
    >>> Bucket(width=10).weaker(48, age), Bucket(width=10).shown(40, age)
    ((40, 49), '40-50')
    >>> Bucket(width=10).weaker(-3, age), Bucket(width=10, start=5).weaker(48, age)
    ((-10, -1), (45, 54))

    References: Kabir (2010), tables 2.5 and 3.3.
    """

    width: float = param(doc="the width of a bucket, in the unit of the column", above=0)
    start: float = param(0, doc="where one of the buckets begins")

    def _steps(self, column_type: ColumnType) -> Steps:
        return Steps.of(column_type, exact_fraction(self.width), exact_fraction(self.start))

    def _label_offsets(self, column_type: ColumnType) -> tuple[Fraction, ...]:
        """The beginning of the bucket, and that of the next one."""
        return Fraction(0), exact_fraction(self.width)
