"""The loss metric by hand on the book's running example and on Table 7.2."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from sfumato.data.partition import Partition
from sfumato.datasets import hospital
from sfumato.metrics import LossMetric, Ncp
from sfumato.operations.generalize import generalize_groups, generalize_levels
from tests.golden import workers
from tests.strategies import grouped_tables


def at(job: int, sex: int, age: int):
    return generalize_levels(hospital(), {"Job": job, "Sex": sex, "Age": age})


def test_nothing_lost_and_everything_lost():
    assert LossMetric().measure(at(0, 0, 0)) == 0
    assert LossMetric().measure(at(2, 1, 2)) == 3


def test_one_level_up_by_hand():
    """A job could be 2 of 4; three ages lie in 35 to 38 of 30 to 38."""
    assert LossMetric().measure(at(1, 0, 1)) == pytest.approx((2 - 1) / (4 - 1) + 3 / 7 * 3 / 8)


def test_table_7_2_by_hand():
    """Two of seven schools for 7 + 8 records; 12 ages in 30 to 35 and 22 in 37 to 44 of 30 to 44; no sex."""
    table = workers.workers()
    losses = LossMetric().per_column(workers.table_7_2(table))
    expected = {"Education": 15 / 34 * (2 - 1) / (7 - 1), "Sex": 1.0, "Age": (12 * 5 + 22 * 7) / 14 / 34}
    assert losses == pytest.approx(expected)
    assert LossMetric().measure(workers.table_7_2(table)) == pytest.approx(sum(expected.values()))


def test_a_suppressed_record_loses_1_in_every_column():
    candidate = at(0, 0, 0)
    one = np.arange(len(candidate.published)) == 0
    lost = 3 * candidate.published.counts[0] / 7
    assert LossMetric().measure(candidate.suppressing(one)) == pytest.approx(lost)


@given(grouped_tables(max_repeats=2))
def test_its_mean_over_columns_is_ncp(drawn):
    table, labels = drawn
    candidate = generalize_groups(table, Partition.of_labels(labels), sets=True)
    mean, total = LossMetric(average=True).measure(candidate), LossMetric().measure(candidate)
    assert mean == pytest.approx(Ncp().measure(candidate))
    assert total == pytest.approx(mean * len(table.schema.quasi))
