"""Costs: the results of metrics for a release. `costs_of` measures them; reports and certificates hold them.

A number alone says little: a discernibility of 25 is much for seven records and nothing for a thousand. So a cost has a
scale: the metric is also measured on the unchanged table and on the whole table published as one group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import TypeVar

import numpy as np

from sfumato.data.labels import Labels
from sfumato.data.table import Table
from sfumato.disclosure.paired_numbers import PairedNumbers, moments
from sfumato.disclosure.published_digits import rounded
from sfumato.metrics.base import CellMetric, Measurable, NumberMetric, PublishedNumbers, SharedCells, TableMetric
from sfumato.operations.generalize import generalize_values
from sfumato.report.figures import figure, percent
from sfumato.settings.catalogue import without_required_settings

EndT = TypeVar("EndT", bound=PublishedNumbers)


@dataclass(frozen=True)
class Scale:
    """What a metric says of the unchanged table, and of the whole table published as one group."""

    unchanged: float
    one_group: float

    def share(self, value: float) -> float:
        """Where a value lies: 0 at the unchanged table, 1 at one group; beyond 1 it costs more than one group."""
        return (value - self.unchanged) / (self.one_group - self.unchanged)


@dataclass(frozen=True)
class ColumnCost:
    """A quasi column and what it costs, as a share of what it costs in the table as one group."""

    column: str
    share: float


@dataclass(frozen=True)
class Cost:
    """The result of one metric, the better direction (`lower` or `higher`) and the limits of possible results.

    `described` is the name with the settings that were given, because a plan may name one metric twice. `scale` is None
    if the metric has none, or the table leaves nothing between its ends. `most` is the column that costs most, of
    metrics that add up cells. A `raw_sum` grows with the table; it is shown as a share of the scale.
    """

    name: str
    described: str
    value: float
    better: str
    limits: tuple[float, float]
    meaning: str
    raw_sum: bool = False
    scale: Scale | None = None
    most: ColumnCost | None = None

    @classmethod
    def of(cls, metric: TableMetric, release: Measurable, ends: ScaleEnds | None = None) -> Cost:
        """Measure a release or candidate, compared with its original table."""
        ends = ends or ScaleEnds(release)
        return replace(_measured(metric, release), scale=ends.scale(metric), most=ends.costliest(metric))

    @classmethod
    def of_numbers(cls, metric: NumberMetric, pair: PairedNumbers) -> Cost:
        """Measure masked numbers beside the original ones."""
        return replace(_measured(metric, pair), scale=_scale_of_numbers(metric, pair))

    @property
    def share(self) -> float | None:
        """Where the result lies between the unchanged table, 0, and the table as one group, 1."""
        return None if self.scale is None or not isfinite(self.value) else self.scale.share(self.value)

    @property
    def is_worse_than_one_group(self) -> bool:
        """Whether publishing all records as one group would cost less."""
        return self.share is not None and self.share > 1

    @property
    def reading(self) -> str:
        """The result as a share of its scale, and the column that costs most, in words; empty if there is no scale."""
        if self.share is None:
            return ""
        most = "" if self.most is None else f", most in {self.most.column} ({percent(self.most.share)})"
        return f"{percent(self.share)} of one group{most}"

    def shown(self, *, raw: bool = False) -> str:
        """The number as text; a raw sum that has a scale is left to `reading`, unless `raw`."""
        return "" if self.raw_sum and self.scale is not None and not raw else figure(self.value)

    def rounded(self) -> Cost:
        """The cost with three significant digits, for a certificate or a report: it depends on the original."""
        scale = None if self.scale is None else Scale(rounded(self.scale.unchanged), rounded(self.scale.one_group))
        scale = None if scale is None or scale.unchanged == scale.one_group else scale
        most = None if self.most is None else ColumnCost(self.most.column, rounded(self.most.share))
        return replace(self, value=rounded(self.value), scale=scale, most=most)


@dataclass(frozen=True, eq=False)
class ScaleEnds:
    """The ends of the scale of all metrics of one release; each is made once, when a metric first needs it."""

    release: Measurable

    @cached_property
    def unchanged(self) -> Measurable:
        """The original table, published as it is."""
        return SharedCells.of(generalize_values(self.release.original, {}))

    @cached_property
    def one_group(self) -> Measurable:
        """The original table with every quasi column generalized to a single label."""
        table = self.release.original
        labels = {name: _single_label(table, name) for name in table.schema.quasi}
        return SharedCells.of(generalize_values(table, labels))

    def scale(self, metric: TableMetric) -> Scale | None:
        """The scale of a metric; None if it has none."""
        if isinstance(metric, NumberMetric):
            return _scale_of_numbers(metric, self.release.numbers)
        return _scale(metric, self.unchanged, self.one_group)

    def costliest(self, metric: TableMetric) -> ColumnCost | None:
        """The quasi column of which the release keeps least; None if all are kept, or the metric adds up no cells."""
        if not isinstance(metric, CellMetric):
            return None
        found, most = metric.totals(self.release), metric.totals(self.one_group)  # an exact cell costs nothing
        costs = [ColumnCost(name, found[name] / most[name]) for name in found if most[name]]
        worst = max(costs, key=lambda cost: cost.share, default=None)
        return worst if worst is not None and worst.share > 0 else None


def costs_of(release: Measurable, metrics: Sequence[TableMetric] = ()) -> tuple[Cost, ...]:
    """The results of the given metrics; without any, of every metric of the catalogue that suits the release."""
    measured = metrics or _suitable(release)
    release = SharedCells.of(release)
    ends = ScaleEnds(release)
    return tuple(Cost.of(metric, release, ends) for metric in measured)


def costs_of_numbers(pair: PairedNumbers) -> tuple[Cost, ...]:
    """The results of all metrics of numbers that have enough columns here."""
    metrics = [thing() for thing in without_required_settings("metrics", NumberMetric)]  # type: ignore[type-abstract]
    return tuple(Cost.of_numbers(metric, pair) for metric in metrics if metric.needs_numbers <= len(pair.columns))


def _measured(metric: TableMetric, release: Measurable | PairedNumbers) -> Cost:
    described, value = str(metric).removesuffix("()"), metric.measure(release)  # type: ignore[arg-type]
    return Cost(metric.name(), described, value, metric.better, metric.limits, metric.summary(), metric.raw_sum)


def _scale(metric: TableMetric, unchanged: EndT, one_group: EndT) -> Scale | None:
    """The scale from one end to the other; None if the ends are equal or one of them is no number."""
    if not metric.has_scale:
        return None
    ends = [metric.measure(end) for end in (unchanged, one_group)]  # type: ignore[arg-type]
    return Scale(*ends) if all(map(isfinite, ends)) and ends[0] != ends[1] else None


def _scale_of_numbers(metric: NumberMetric, pair: PairedNumbers) -> Scale | None:
    """The scale of a metric of numbers: one group publishes the mean of every column."""
    numbers = pair.complete
    if not len(numbers.counts):
        return None
    means = np.broadcast_to(moments(numbers.original, numbers.counts)[0], numbers.original.shape)
    unchanged, one_group = (
        PairedNumbers(numbers.columns, numbers.original, side, numbers.counts) for side in (numbers.original, means)
    )
    return _scale(metric, unchanged, one_group)


def _single_label(table: Table, name: str) -> tuple[Labels, np.ndarray[tuple[int, ...], np.dtype[np.int32]]]:
    """One label for all values of a column, and the number of the label for each of them."""
    domain = table.domain(name)
    ends = np.zeros(1, dtype=np.int32), np.array([len(domain) - 1], dtype=np.int32)
    labels, _ = Labels.of_ranges(domain, table.taxonomies.get(name), *ends)
    return labels, np.zeros(len(domain), dtype=np.int32)


def _suitable(release: Measurable) -> list[TableMetric]:
    """The metrics of the catalogue that need no settings, serve this kind of data and suit the release."""
    metrics = without_required_settings("metrics", TableMetric)  # type: ignore[type-abstract]
    one_target = len(release.original.schema.targets) == 1
    ready = [
        metric()
        for metric in metrics
        if release.original.kind in metric.serves and (one_target or not metric.needs_target)
    ]
    return [metric for metric in ready if metric.suits(release)]
