"""A cost: what one metric says about a release."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.metrics.base import Metric
from sfumato.releases.candidate import Candidate
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
    def of(cls, metric: Metric, candidate: Candidate) -> Cost:
        """Measure a candidate against the table it was made from."""
        value = metric.measure(candidate.original, candidate)
        return cls(metric.name(), value, metric.better, metric.limits, metric.summary())


def costs_of(candidate: Candidate) -> tuple[Cost, ...]:
    """What every metric of the catalogue that needs no settings says, as far as it has anything to say here."""
    metrics = [entry.thing for entry in entries("metrics") if issubclass(entry.thing, Metric)]
    one_target = len(candidate.original.schema.targets) == 1
    ready = [
        metric()
        for metric in metrics
        if not any(setting.required for setting in metric.settings()) and (one_target or not metric.needs_target)
    ]
    return tuple(Cost.of(metric, candidate) for metric in ready if metric.suits(candidate.original, candidate))
