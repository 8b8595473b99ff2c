"""A cost: what one metric says about a release.

`costs_of` measures all of them; reports and certificates hold the answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.metrics.base import Measurable, TableMetric
from sfumato.settings.catalogue import entries


@dataclass(frozen=True)
class Cost:
    """The answer of one metric, with the direction in which it is better and the limits between which it lies."""

    name: str
    value: float
    better: str
    limits: tuple[float, float]
    meaning: str

    @classmethod
    def of(cls, metric: TableMetric, release: Measurable) -> Cost:
        """Measure a release, or a candidate, against the table it was made from."""
        return cls(metric.name(), metric.measure(release), metric.better, metric.limits, metric.summary())


def costs_of(release: Measurable, metrics: Sequence[TableMetric] = ()) -> tuple[Cost, ...]:
    """What the given metrics say; without any, what every metric of the catalogue says that suits the release."""
    return tuple(Cost.of(metric, release) for metric in metrics or _suitable(release))


def _suitable(release: Measurable) -> list[TableMetric]:
    """The metrics that need no settings, are made for this kind of data, and have something to say about it."""
    metrics = [entry.thing for entry in entries("metrics") if issubclass(entry.thing, TableMetric)]
    one_target = len(release.original.schema.targets) == 1
    ready = [
        metric()
        for metric in metrics
        if release.original.kind in metric.serves
        and not any(setting.required for setting in metric.settings())
        and (one_target or not metric.needs_target)
    ]
    return [metric for metric in ready if metric.suits(release)]
