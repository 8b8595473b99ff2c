from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.metrics import AbsoluteDeviation, Discernibility, Ncp, NormalizedGroupSize, Precision
from sfumato.metrics.base import TableMetric
from sfumato.operations.generalize import generalize_groups, generalize_levels
from sfumato.operations.microaggregate import microaggregate
from sfumato.report.cost import ColumnCost, Cost, Scale, costs_of, costs_of_numbers
from sfumato.settings.catalogue import without_required_settings
from tests.golden import three_groups, workers
from tests.report.releases import book

METRICS = without_required_settings("metrics", TableMetric)
COMPARE_NUMBERS = {metric.name() for metric in METRICS if metric.needs_numbers}


def test_every_metric_without_required_settings_is_there():
    candidate = workers.table_7_2(workers.workers())
    assert {cost.name for cost in costs_of(candidate)} == {metric.name() for metric in METRICS} - COMPARE_NUMBERS


def test_metrics_of_numbers_are_told_where_numbers_are_published():
    table = Table.of_rows(Schema.of(quasi=["a", "b"]), {"a": ["1", "2", "4"], "b": ["3", "5", "4"]})
    pair = (["a", "b"], np.array([0, 0, 1], dtype=np.int32))
    found = {cost.name: cost.value for cost in costs_of(microaggregate(table, np.arange(3), [pair]))}
    assert set(found) >= COMPARE_NUMBERS
    assert found["absolute_deviation"] == 3


def test_metrics_that_need_a_target_are_silent_where_there_is_none():
    asking = {metric.name() for metric in METRICS if metric.needs_target}
    assert {"class_entropy", "classification_metric"} <= asking
    expected = {metric.name() for metric in METRICS} - asking - COMPARE_NUMBERS
    assert {cost.name for cost in costs_of(book().candidate)} == expected


def test_given_metrics_are_measured_and_no_others():
    found = costs_of(book(), [NormalizedGroupSize(k=7), Discernibility()])
    assert [(cost.name, cost.value) for cost in found] == [("normalized_group_size", 0.5), ("discernibility", 25)]


def test_metrics_for_other_kinds_of_data_are_left_out(monkeypatch):
    monkeypatch.setattr(Discernibility, "serves", frozenset({"graph"}))
    assert "discernibility" not in {cost.name for cost in costs_of(book())}


def test_goldens_of_table_2_4():
    """Golden G1 and G3."""
    found = {cost.name: cost for cost in costs_of(book().candidate)}
    assert (found["minimal_distortion"].value, found["discernibility"].value) == (14, 25)
    assert found["precision"].better == "higher"
    assert all(cost.meaning for cost in found.values())


def test_shares_of_the_cost_of_one_group():
    """By hand: two writers and two dancers look alike in the original, three others like nobody: 4 + 4 + 3 of 49."""
    found = {cost.name: cost for cost in costs_of(book().candidate)}
    assert found["discernibility"].scale == Scale(11, 49)
    assert found["discernibility"].share == pytest.approx((25 - 11) / (49 - 11))
    assert found["average_group_size"].share == pytest.approx((3.5 - 7 / 5) / (7 - 7 / 5))
    assert found["minimal_distortion"].share == pytest.approx(14 / (7 * (2 + 1 + 2)))
    assert found["ncp"].share == pytest.approx(found["ncp"].value)
    assert found["precision"].share == pytest.approx(1 - found["precision"].value)
    assert found["suppressed_share"].share is None


def test_the_column_that_costs_most():
    candidate = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 2})
    found = {cost.name: cost for cost in costs_of(candidate)}
    assert found["minimal_distortion"].most == ColumnCost("Age", 1.0)
    assert found["minimal_distortion"].reading == "60% of one group, most in Age (100%)"
    assert found["discernibility"].most is None
    assert Cost.of(Ncp(), generalize_levels(hospital(), {})).most is None


def test_raw_sums_are_shown_on_request():
    found = {cost.name: cost for cost in costs_of(book().candidate)}
    assert (found["discernibility"].shown(), found["discernibility"].shown(raw=True)) == ("", "25")
    assert found["average_group_size"].shown() == "3.5"
    constant = Table.of_rows(Schema.of(quasi=["a"]), {"a": ["1", "1", "1"]})
    (alone,) = costs_of(generalize_levels(constant, {}), [Discernibility()])
    assert (alone.scale, alone.shown(), alone.reading) == (None, "9", "")


def test_numbers_are_compared_with_their_means():
    pair = three_groups.means()
    found = {cost.name: cost for cost in costs_of_numbers(pair)}
    assert found["squared_error"].scale == Scale(0, pytest.approx(100))
    assert found["squared_error"].share == pytest.approx(126 / 3326)
    assert found["sign_test"].scale is None
    assert found["absolute_deviation"].shown() == ""


@given(st.lists(st.integers(0, 5), min_size=6, max_size=6))
def test_no_grouping_costs_more_than_one_group(groups):
    """Metrics that merging never improves lie between the ends of their scale."""
    labels = np.unique(groups, return_inverse=True)[1].astype(np.int32)
    candidate = generalize_groups(hospital(), Partition.of_labels(labels), sets=False)
    for cost in costs_of(candidate):
        assert cost.share is None or -1e-9 <= cost.share <= 1 + 1e-9, cost.name


def test_a_rounded_cost_has_a_rounded_scale():
    cost = Cost("a", "a", 1234.0, "lower", (0.0, 9999.0), "", True, Scale(1.2345, 9876.0), ColumnCost("b", 0.12345))
    assert cost.rounded() == Cost(
        "a", "a", 1230.0, "lower", (0.0, 9999.0), "", True, Scale(1.23, 9880.0), ColumnCost("b", 0.123)
    )


def test_one_metric_with_two_settings_has_two_names():
    twice = costs_of(book(), [Ncp(), Ncp(weights={"Age": 2.0})])
    assert [cost.described for cost in twice] == ["ncp", "ncp(weights={'Age': 2.0})"]
    assert twice[0].value != twice[1].value


def test_costs_are_compared_with_those_of_one_group():
    """One group of seven equal records has a discernibility of 49, and its values have lost everything."""
    found = {cost.name: cost for cost in costs_of(book(), [Discernibility(), Ncp(), Precision()])}
    assert {name: cost.scale.one_group for name, cost in found.items()} == {
        "discernibility": 49,
        "ncp": 1.0,
        "precision": 0.0,
    }
    assert not any(cost.is_worse_than_one_group for cost in found.values())


def test_a_release_may_be_as_bad_as_one_group_or_worse():
    lower, higher = costs_of(book(), [Discernibility(), Precision()])
    assert [replace(lower, value=value).is_worse_than_one_group for value in (49.0, 50.0)] == [False, True]
    assert [replace(higher, value=value).is_worse_than_one_group for value in (0.0, -0.1)] == [False, True]
    assert not replace(lower, value=50.0, scale=None).is_worse_than_one_group


def test_centroids_are_compared_with_the_mean_of_all():
    """Numbers 1, 2 and 4 published as their means lose the distances from 7/3: 4/3 + 1/3 + 5/3 = 10/3."""
    table = Table.of_rows(Schema.of(quasi=["a"]), {"a": ["1", "2", "4"]})
    release = microaggregate(table, np.arange(3), [(["a"], np.array([0, 0, 1], dtype=np.int32))])
    (cost,) = costs_of(release, [AbsoluteDeviation()])
    assert (cost.value, cost.scale.one_group) == (pytest.approx(1.0), pytest.approx(10 / 3))
