from __future__ import annotations

import numpy as np

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.metrics import AverageGroupSize, Discernibility, Ncp
from sfumato.metrics.base import TableMetric
from sfumato.operations.microaggregate import microaggregate
from sfumato.report.cost import costs_of
from sfumato.settings.catalogue import without_required_settings
from tests.golden import workers
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
