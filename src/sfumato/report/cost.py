"""Costs: the results of metrics for a release. `costs_of` measures them; reports and certificates hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sfumato.disclosure.published_digits import rounded
from sfumato.metrics.base import Measurable, TableMetric
from sfumato.settings.catalogue import without_required_settings


@dataclass(frozen=True)
class Cost:
    """The result of one metric, the better direction (`lower` or `higher`) and the limits of possible results.

    `described` is the name with the settings that were given, because a plan may name one metric twice.
    """

    name: str
    described: str
    value: float
    better: str
    limits: tuple[float, float]
    meaning: str

    @classmethod
    def of(cls, metric: TableMetric, release: Measurable) -> Cost:
        """Measure a release or candidate, compared with its original table."""
        described = str(metric).removesuffix("()")
        return cls(metric.name(), described, metric.measure(release), metric.better, metric.limits, metric.summary())

    def rounded(self) -> Cost:
        """The cost with three significant digits, for a certificate or a report: it depends on the original."""
        return replace(self, value=rounded(self.value))


def costs_of(release: Measurable, metrics: Sequence[TableMetric] = ()) -> tuple[Cost, ...]:
    """The results of the given metrics; without any, of every metric of the catalogue that suits the release."""
    return tuple(Cost.of(metric, release) for metric in metrics or _suitable(release))


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
