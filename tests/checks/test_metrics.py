"""Every metric keeps its promises, and the checks notice when one does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from sfumato.checks.base import ConformanceError
from sfumato.checks.metrics import (
    CHECKS,
    check_asks_for_its_target,
    check_knows_what_it_suits,
    check_metric,
    check_never_gains_from_dearer_cells,
    check_stays_within_limits,
)
from sfumato.metrics.base import Metric, NumberMetric
from sfumato.metrics.ncp import Ncp
from tests.instances import instances

METRICS = instances("metrics")


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_every_metric_conforms(metric, check):
    assert check(metric) is None


def test_the_catalogue_holds_the_fixed_names():
    assert {"ncp", "discernibility", "average_group_size"} <= {metric.name() for metric in METRICS}


def test_metrics_of_numbers_are_measured_on_every_number_of_groups():
    class Counting(NumberMetric):
        better = "lower"

        def _score(self, numbers):
            seen.append((len(np.unique(numbers.published, axis=0)), len(numbers.published)))
            return 0.0

    seen: list[tuple[int, int]] = []
    check_stays_within_limits(Counting())
    everybody = max(rows for _, rows in seen)
    assert {(1, everybody), (2, everybody), (3, everybody)} <= set(seen)


@dataclass(frozen=True, kw_only=True)
class Backwards(Metric):
    """Thinks that fewer groups are better."""

    def _measure(self, release):
        return len(release.groups())


@dataclass(frozen=True, kw_only=True)
class Unbounded(Metric):
    """Leaves its own limits."""

    limits = (0.0, 1.0)

    def _measure(self, release):
        return 2.0


@dataclass(frozen=True, kw_only=True)
class CountsRows(Metric):
    """Counts distinct rows where it should count records."""

    def _measure(self, release):
        return len(release.published) + 100.0 * release.suppressed.all()


@dataclass(frozen=True, kw_only=True)
class Spoiler(Metric):
    """Writes into what it was given."""

    def _measure(self, release):
        release.published.codes["Sex"][:] = 0
        return float(release.suppressed.all())


@dataclass(frozen=True, kw_only=True)
class Constant(Metric):
    """Gives every release the same number."""

    def _measure(self, release):
        return 1.0


@dataclass(frozen=True, kw_only=True)
class Secretive(Metric):
    """Asks for a target without saying so."""

    def _measure(self, release):
        return float(release.original.schema.one_target() == "")


@dataclass(frozen=True, kw_only=True)
class Boastful(Metric):
    """Says that it needs a target, and does not look at it."""

    needs_target = True

    def _measure(self, release):
        return float(release.suppressed.all())


@dataclass(frozen=True, kw_only=True)
class Likes(NumberMetric):
    """Prefers whatever moved."""

    def _score(self, numbers):
        return float(not numbers.changed)


@dataclass(frozen=True, kw_only=True)
class Thrifty(Ncp):
    """Gains where one column costs more than the mean of all."""

    def _combine(self, totals, original):
        return super()._combine(totals, original) / (1 + np.maximum.reduce(list(totals.values())))


@dataclass(frozen=True, kw_only=True)
class Reluctant(Metric):
    """Suits nothing, and measures it."""

    def suits(self, release):
        return False

    def _measure(self, release):
        return 0.0


@dataclass(frozen=True, kw_only=True)
class Eager(Metric):
    """Suits everything, though it is about numbers."""

    needs_numbers = 1

    def _measure(self, release):
        return 0.0


@dataclass(frozen=True, kw_only=True)
class Careless(Eager):
    """Knows where there are no numbers, and measures them."""

    def suits(self, release):
        return len(release.groups()) > 1


@pytest.mark.parametrize(
    ("metric", "complaint"),
    [(Reluctant, "does not suit"), (Eager, "without numbers"), (Careless, "does not refuse")],
)
def test_metrics_that_do_not_know_what_they_suit_are_noticed(metric, complaint):
    with pytest.raises(ConformanceError, match=complaint):
        check_knows_what_it_suits(metric())


@pytest.mark.parametrize(
    ("metric", "complaint"),
    [
        (Likes, "rates a candidate better"),
        (Backwards, "rates"),
        (Unbounded, "outside"),
        (Constant, "rates no candidate better than publishing nothing"),
        (CountsRows, "one row per record"),
        (Spoiler, "changed"),
        (Boastful, "works without one"),
    ],
)
def test_a_broken_promise_is_noticed(metric, complaint):
    with pytest.raises(ConformanceError, match=complaint):
        check_metric(metric())


def test_a_metric_that_gains_from_dearer_cells_is_noticed():
    with pytest.raises(ConformanceError, match="got dearer"):
        check_never_gains_from_dearer_cells(Thrifty())


def test_a_target_that_is_not_declared_is_noticed():
    with pytest.raises(ConformanceError, match="without declaring"):
        check_asks_for_its_target(Secretive())
