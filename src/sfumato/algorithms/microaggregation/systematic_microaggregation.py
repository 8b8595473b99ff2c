"""Systematic microaggregation: the algorithm, the order of its records, and the function that makes its groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.errors import ParameterError
from sfumato.settings.params import param

Loss = Literal["sse", "adm"]


@dataclass(frozen=True, kw_only=True)
class SystematicMicroaggregation(Microaggregation):
    """Every k-th record, sorted by sums, starts a group; the others join one by one where the loss grows least.

    One of the first k records is drawn; it and every k-th record after it are the seeds. Then another is drawn, and it
    and every k-th record after it each join the group, among those with fewer than k records, whose loss grows least;
    and so on. The last few records join the group whose loss grows least, so groups have k to 2k - 1 records. Late
    records can only join groups that are not full, so the loss is much higher than that of MDAV.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "60", "61", "62", "63"]})
    >>> way = SystematicMicroaggregation(order=(2, 1, 3))
    >>> way.anonymize(ages, KAnonymity(k=3)).recoding.labels["age"].texts
    ('22', '61.5')

    References: Kabir (2010), sections 5.3 and, for deviations from the median, 7.3.
    """

    most_rows = 200_000

    loss: Loss = param("sse", doc="the loss of a group: squared errors, or deviations from the median")
    order: tuple[int, ...] = param(
        (), doc="the order in which the first k records are drawn, from 1 to k; none: random"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if sorted(self.order) != list(range(1, len(self.order) + 1)):
            raise ParameterError("'order' of SystematicMicroaggregation must have every number from 1 to k once.")

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        if self.order and len(self.order) != k:
            raise ParameterError(
                f"'order' of SystematicMicroaggregation has {len(self.order)} numbers, but groups of {k} are asked "
                f"for; give the numbers from 1 to {k}, or none to have them drawn."
            )
        order = self.order or [int(place) + 1 for place in random.permutation(k)]
        return systematic_groups(points, k, order, loss=self.loss)


def systematic_groups(points: Points, k: int, order: Sequence[int], *, loss: Loss = "sse") -> Labels:
    """Make n // k groups seeded by every k-th record by sum; each other record joins where the loss grows least.

    `order` has the positions 1 to k of every run of k records, in the order in which they are used: the records at the
    first position are the seeds. A group with k records is closed until all have k; then the last few records join.
    """
    from sfumato.kernels.systematic_growth import grow_by_medians, grow_by_squares

    if len(points) < 2 * k:
        return np.zeros(len(points), dtype=np.int32)
    sequence = arrivals(np.argsort(row_sums(points), kind="stable"), k, order)
    grow = grow_by_squares if loss == "sse" else grow_by_medians
    return grow(points, k, sequence)


def arrivals(ordered: NDArray[np.int64], k: int, order: Sequence[int]) -> NDArray[np.int32]:
    """Every k-th record from the first place in the order, then from the second, and so on; the last few at the end."""
    whole = len(ordered) // k * k
    # Every k-th record beginning at a place of the run; records after the last whole run come at the end.
    steps = [ordered[place - 1 : whole : k] for place in order]
    return np.concatenate([*steps, ordered[whole:]]).astype(np.int32)


def row_sums(points: Points) -> Points:
    """The sum of the coordinates of every record, by which the systematic methods sort.

    The sorting function of Kabir (2010), equation 5.2, is the sum of the deviations from the mean of every column. It
    differs from this sum by a constant, so the order is the same, and it does not change when records are left out. The
    sum goes from the first column to the last, so that equal records have equal sums.
    """
    total = np.zeros(len(points))
    for column in points.T:
        total += column
    return total
