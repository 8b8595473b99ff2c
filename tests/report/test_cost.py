from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.metrics import AbsoluteDeviation, AverageGroupSize, Discernibility, Ncp, Precision
from sfumato.metrics.base import TableMetric
from sfumato.operations.microaggregate import microaggregate
from sfumato.report.cost import costs_of
from sfumato.settings.catalogue import without_required_settings
from tests.golden import workers
from tests.report.releases import book, bucketized

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
    found = costs_of(book(), [AverageGroupSize(k=7), Discernibility()])
    assert [(cost.name, cost.value) for cost in found] == [("average_group_size", 0.5), ("discernibility", 25)]


def test_metrics_for_other_kinds_of_data_are_left_out(monkeypatch):
    monkeypatch.setattr(Discernibility, "serves", frozenset({"graph"}))
    assert "discernibility" not in {cost.name for cost in costs_of(book())}


def test_goldens_of_table_2_4():
    """Golden G1 and G3."""
    found = {cost.name: cost for cost in costs_of(book().candidate)}
    assert (found["minimal_distortion"].value, found["discernibility"].value) == (14, 25)
    assert found["precision"].better == "higher"
    assert all(cost.meaning for cost in found.values())


def test_one_metric_with_two_settings_has_two_names():
    twice = costs_of(book(), [Ncp(), Ncp(weights={"Age": 2.0})])
    assert [cost.described for cost in twice] == ["ncp", "ncp(weights={'Age': 2.0})"]
    assert twice[0].value != twice[1].value


def test_costs_are_compared_with_those_of_one_group():
    """One group of seven equal records has a discernibility of 49, and its values have lost everything."""
    found = {cost.name: cost for cost in costs_of(book(), [Discernibility(), Ncp(), Precision()], scaled=True)}
    assert {name: cost.one_group for name, cost in found.items()} == {
        "discernibility": 49,
        "ncp": 1.0,
        "precision": 0.0,
    }
    assert {cost.beside_one_group for cost in found.values()} == {"better"}


def test_a_release_may_be_as_bad_as_one_group_or_worse():
    cost = costs_of(book(), [Discernibility()], scaled=True)[0]
    assert replace(cost, value=49.0).beside_one_group == "equal"
    assert replace(cost, value=50.0).beside_one_group == "worse"
    assert replace(cost, value=50.0, better="higher").beside_one_group == "better"
    assert replace(cost, one_group=None).beside_one_group == ""


def test_centroids_are_compared_with_the_mean_of_all():
    """Numbers 1, 2 and 4 published as their means lose the distances from 7/3: 4/3 + 1/3 + 5/3 = 10/3."""
    table = Table.of_rows(Schema.of(quasi=["a"]), {"a": ["1", "2", "4"]})
    release = microaggregate(table, np.arange(3), [(["a"], np.array([0, 0, 1], dtype=np.int32))])
    (cost,) = costs_of(release, [AbsoluteDeviation()], scaled=True)
    assert (cost.value, cost.one_group) == (pytest.approx(1.0), pytest.approx(10 / 3))


def test_there_is_no_such_group_where_links_are_cut_or_no_record_is():
    assert costs_of(bucketized(), [Discernibility()], scaled=True)[0].one_group is None
    assert costs_of(book(), [Discernibility()])[0].one_group is None
