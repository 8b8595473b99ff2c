"""Median-based microaggregation: groups of any other method, of which medians are published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class MedianMicroaggregation(Microaggregation):
    """Groups found by another way of microaggregation publish the median of every column instead of the mean.

    A median is not moved by one extreme record, and about as many records lie above it as below, so that a sign test
    sees no difference between what was published and what was there. It is the median of each column by itself, so the
    values published together need not belong to anybody.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> table = Table.of_rows(Schema.of(quasi=["x"]), {"x": ["2", "5", "6", "11", "42", "45", "46", "51"]})
    >>> MedianMicroaggregation().anonymize(table, KAnonymity(k=4)).recoding.labels["x"].texts
    ('5.5', '45.5')

    References: Kabir (2010), chapter 7.
    """

    centroid: Literal["mean", "median", "mode", "midrange", "geometric_mean"] = param(
        "median", doc="what a group publishes of its numbers and dates"
    )
    start: str = param("mdav", doc="the way of microaggregation that finds the groups")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._finder()

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        return self._finder()._partition(points, k, random)

    def _limit(self) -> int | None:
        return self._finder()._limit()

    def _finder(self) -> Microaggregation:
        """The other way, with its own settings as they are by default."""
        from sfumato.algorithms.microaggregation.ways import way

        return way(self.start)
