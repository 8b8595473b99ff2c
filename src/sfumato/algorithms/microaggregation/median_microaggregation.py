"""Median-based microaggregation: the groups of another method publish medians."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points, method_named
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class MedianMicroaggregation(Microaggregation):
    """The groups of another microaggregation method publish the median of every column instead of the mean.

    One extreme record does not change a median, and about as many records lie above it as below, so that a sign test
    finds no difference between the published and the original values. The median is taken of each column by itself, so
    the values published together need not be those of any record.

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
    start: str = param("mdav", doc="the microaggregation algorithm that finds the groups")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._finder()

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        return self._finder()._partition(points, k, random)

    def _limit(self) -> int | None:
        return self._finder()._limit()

    def _finder(self) -> Microaggregation:
        """The method that finds the groups, with its default settings."""
        return method_named(self.start)
