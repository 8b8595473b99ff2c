"""Hansen-Mukherjee: optimal microaggregation of one column, and optimal cuts of any given order of records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.errors import UnsuitableError


@dataclass(frozen=True, kw_only=True)
class HansenMukherjee(Microaggregation):
    """Optimal microaggregation of one column: no other groups of at least k records have a lower squared error.

    The best groups of numbers are runs of k to 2k - 1 in sorted order. Dynamic programming finds the best cuts of a
    sorted list: the best cuts of a beginning of the list, and one more run. The time is proportional to k times the
    number of records. Several columns, categories without an order and missing numbers have more than one coordinate
    and are refused; group every column in a block of its own, or use `mhm`, which does the same along a path through
    all records.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "40", "41", "60", "61", "62"]})
    >>> HansenMukherjee().anonymize(ages, KAnonymity(k=2)).recoding.labels["age"].texts
    ('22', '40.5', '61')

    References: Hansen and Mukherjee (2003), A polynomial algorithm for optimal univariate microaggregation; Kabir
    (2010), section 6.2.
    """

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        if points.shape[1] != 1:
            raise UnsuitableError(
                f"hansen_mukherjee groups numbers on a line, and what it was given together takes {points.shape[1]} "
                "coordinates: one a column, one more where numbers are missing, several for categories without an "
                "order. For several columns, name each as a quasi-identifier of its own, ask the model of each, and "
                "list them as blocks; for missing values and categories take mhm."
            )
        return one_column_groups(points, k)


def line_groups(points: Points, order: NDArray[np.int32], k: int) -> Labels:
    """The groups of least squared error among all that are runs of at least k records in this order.

    >>> line_groups(np.array([[3.0], [9.0], [1.0], [8.0], [2.0]]), np.array([2, 4, 0, 3, 1]), 2).tolist()
    [0, 1, 0, 1, 0]
    """
    from sfumato.algorithms.microaggregation.loops.hansen_mukherjee import cut_line

    labels = np.empty(len(points), dtype=np.int32)
    labels[order] = cut_line(np.ascontiguousarray(points[order]), k)
    return labels


def one_column_groups(points: Points, k: int) -> Labels:
    """The groups of least squared error of points that have one coordinate."""
    return line_groups(points, np.argsort(points[:, 0], kind="stable").astype(np.int32), k)
