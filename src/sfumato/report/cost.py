"""Costs: the results of metrics for a release. `costs_of` measures them; reports and certificates hold them.

A number such as 16,700 means little alone. So a cost may be compared with that of publishing all records as one group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sfumato.data.labels import Labels
from sfumato.data.partition import Partition
from sfumato.disclosure.published_digits import rounded
from sfumato.metrics.base import Measurable, TableMetric
from sfumato.operations.generalize import generalize_groups
from sfumato.operations.microaggregate import microaggregate
from sfumato.releases.table_candidate import TableCandidate
from sfumato.settings.catalogue import without_required_settings


@dataclass(frozen=True)
class Cost:
    """The result of one metric, the better direction (`lower` or `higher`) and the limits of possible results.

    `described` is the name with the settings that were given, because a plan may name one metric twice. `one_group` is
    the result if all records were published as one group; None if it was not measured.
    """

    name: str
    described: str
    value: float
    better: str
    limits: tuple[float, float]
    meaning: str
    one_group: float | None = None

    @classmethod
    def of(cls, metric: TableMetric, release: Measurable, one_group: Measurable | None = None) -> Cost:
        """Measure a release or candidate, compared with its original table, and maybe the same records as one group."""
        described = str(metric).removesuffix("()")
        value, whole = metric.measure(release), None
        if one_group is not None and metric.suits(one_group):
            whole = metric.measure(one_group)
        return cls(metric.name(), described, value, metric.better, metric.limits, metric.summary(), whole)

    @property
    def beside_one_group(self) -> Literal["", "better", "equal", "worse"]:
        """Whether the release is better than one group of all records; empty if that was not measured."""
        if self.one_group is None:
            return ""
        if self.value == self.one_group:
            return "equal"
        return "better" if (self.value < self.one_group) == (self.better == "lower") else "worse"

    def rounded(self) -> Cost:
        """The cost with three significant digits, for a certificate or a report: it depends on the original."""
        whole = None if self.one_group is None else rounded(self.one_group)
        return replace(self, value=rounded(self.value), one_group=whole)


def costs_of(release: Measurable, metrics: Sequence[TableMetric] = (), *, scaled: bool = False) -> tuple[Cost, ...]:
    """The results of the given metrics; without any, of every metric of the catalogue that suits the release.

    If `scaled`, all records as one group are measured, too, unless the release publishes its values unchanged.
    """
    one_group = _as_one_group(release) if scaled else None
    return tuple(Cost.of(metric, release, one_group) for metric in metrics or _suitable(release))


def _as_one_group(release: Measurable) -> TableCandidate | None:
    """The records of the release as one group; None if no label replaces a value, as where links are cut."""
    original, quasi = release.original, release.original.schema.quasi
    labels = [release.published.domains[name] for name in quasi]
    if not len(original) or not any(isinstance(found, Labels) for found in labels):
        return None
    if any(isinstance(found, Labels) and found.numbers is not None for found in labels):
        row = np.repeat(np.arange(len(original)), original.counts)
        return microaggregate(original, row, [(quasi, np.zeros(len(row), dtype=np.int32))])
    return generalize_groups(original, Partition.of_labels(np.zeros(len(original), dtype=np.int32)), sets=False)


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
